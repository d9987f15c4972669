@echo off
rem The command line of ProjectAnchor: finds a Node of 22.13 or newer and runs dist\cli.js on it.
rem In order: PROJECT_ANCHOR_NODE, the one recorded at installation, VS Code's own runtime, node on the PATH.
setlocal EnableExtensions DisableDelayedExpansion

set "cli=%~dp0..\dist\cli.js"
if not exist "%cli%" goto :incomplete

set "data=%LOCALAPPDATA%\ProjectAnchor"
if defined PROJECT_ANCHOR_HOME set "data=%PROJECT_ANCHOR_HOME%"

rem VS Code's runtime answers as Node because of this; the program takes it out of its environment.
set "ELECTRON_RUN_AS_NODE=1"
set "found="

call :try "%PROJECT_ANCHOR_NODE%"
if exist "%data%\node-path" for /f "usebackq delims=" %%p in ("%data%\node-path") do call :try "%%p"
call :try "%VSCODE_GIT_ASKPASS_NODE%"
for %%c in (code.cmd) do call :try "%%~dp$PATH:c..\Code.exe"
for %%c in (code-insiders.cmd) do call :try "%%~dp$PATH:c..\Code - Insiders.exe"
call :try "%LOCALAPPDATA%\Programs\Microsoft VS Code\Code.exe"
call :try "%ProgramFiles%\Microsoft VS Code\Code.exe"
for %%c in (node.exe) do call :try "%%~$PATH:c"

if not defined found goto :none
"%found%" "%cli%" %*
exit /b %ERRORLEVEL%

rem Outside of any brackets: a path may hold some, as in "Program Files (x86)".
:incomplete
>&2 echo project-anchor: "%cli%" is missing: install the extension again, or run "npm run build" in its source.
exit /b 1

:none
>&2 echo project-anchor: no Node 22.13 or newer found: install Node, or set PROJECT_ANCHOR_NODE to the path of one.
exit /b 1

rem Remembers %1 if nothing was found yet and it runs and is Node 22.13 or newer.
:try
if defined found exit /b 0
if "%~1"=="" exit /b 0
if not exist "%~1" exit /b 0
for /f "tokens=1,2 delims=v." %%a in ('""%~1" --version 2^>nul"') do (
  if %%a GTR 22 set "found=%~1"
  if %%a EQU 22 if %%b GEQ 13 set "found=%~1"
)
exit /b 0
