import { describe, expect, test } from 'vitest';
import { dataFolder } from '../../../src/store/index.ts';

describe('dataFolder', () => {
  test.each<readonly [NodeJS.Platform, string, NodeJS.ProcessEnv, string]>([
    ['linux', '/home/p', {}, '/home/p/.local/share/project-anchor'],
    ['linux', '/home/p', { XDG_DATA_HOME: '/data' }, '/data/project-anchor'],
    ['linux', '/home/p', { XDG_DATA_HOME: 'relative/is/ignored' }, '/home/p/.local/share/project-anchor'],
    ['linux', '/home/p', { XDG_DATA_HOME: '' }, '/home/p/.local/share/project-anchor'],
    ['freebsd', '/home/p', {}, '/home/p/.local/share/project-anchor'],
    ['darwin', '/Users/p', { XDG_DATA_HOME: '/data' }, '/Users/p/Library/Application Support/ProjectAnchor'],
    ['win32', 'C:\\Users\\p', { LOCALAPPDATA: 'D:\\Local' }, 'D:\\Local\\ProjectAnchor'],
    ['win32', 'C:\\Users\\p', {}, 'C:\\Users\\p\\AppData\\Local\\ProjectAnchor'],
    ['linux', '/home/p', { PROJECT_ANCHOR_HOME: '/mine/', XDG_DATA_HOME: '/data' }, '/mine/'],
    ['linux', '/home/p', { PROJECT_ANCHOR_HOME: '/a/../mine' }, '/mine'],
    ['linux', '/home/p', { PROJECT_ANCHOR_HOME: '' }, '/home/p/.local/share/project-anchor'],
    ['darwin', '/Users/p', { PROJECT_ANCHOR_HOME: '/mine' }, '/mine'],
    ['win32', 'C:\\Users\\p', { PROJECT_ANCHOR_HOME: 'E:\\mine' }, 'E:\\mine'],
  ])('on %s with home %s and %j is %s', (platform, home, env, expected) => {
    expect(dataFolder(env, platform, home)).toBe(expected);
  });

  test('a PROJECT_ANCHOR_HOME that is not a full path is refused: it would mean another folder everywhere', () => {
    expect(() => dataFolder({ PROJECT_ANCHOR_HOME: 'data' }, 'linux', '/home/p')).toThrow(
      expect.objectContaining({ code: 'invalid', message: expect.stringContaining('"data"') }),
    );
  });
});
