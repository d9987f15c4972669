#ifndef SHOP_H
#define SHOP_H
#include <stdio.h>
#include "shop/item.h"
#include "../up.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define VERSION "1.2"

typedef unsigned long id_t;
typedef int (*handler)(void *ctx, int n);

typedef struct point {
  int x, *y[3];
  double (*cb)(int a);
  unsigned flag : 3;
} point_t, *point_ptr;

typedef struct {
  int only;
} anonymous;

struct forward;

enum color { RED, GREEN = 2 };
typedef enum { A, B } letters;

extern const int limit;
int global = 1, *other;
static int hidden = 3;
static const char *names[] = { "hunter2" };

int proto(int a, char *b);
void (*signal(int sig, void (*f)(int)))(int);

static int *helper(const char *s)
{
  struct local { int z; };
  return 0;
}

#ifdef _WIN32
int platform(void) { return 1; }
#else
int platform(void) { return 2; }
#endif

static inline int
gnu_style (int a,
           int b)
{
  return a;
}

union bits { float f; int i; };
#endif
