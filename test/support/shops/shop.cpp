#include <vector>
import std;

namespace shop::core {

class Forward;

template <typename T, int N = 3>
class Order : public Base<T>, private Other {
public:
  Order();
  explicit Order(int n = 1) : n_(n) {}
  virtual ~Order() = default;
  Order &operator=(const Order &) = delete;
  T operator[](int i) const;
  operator bool() const noexcept;
  static int count;
  template <class K> void put(K key, const char *name = "hunter2");
  virtual void close() = 0;
  using Item = T *;
  enum class Kind : int { Small, Large };
  friend void peek();

private:
  int n_ = 1;
  struct Deep { int q; };
};

template <typename T, int N>
void Order<T, N>::put(int x) noexcept {
  auto local = [](int a) { return a; };
}

namespace {
int secret() { return 1; }
}

[[nodiscard]] constexpr int twice(int x) { return 2 * x; }
static void hidden() {}
inline constexpr int limit = 5;

} // namespace shop::core

int shop::core::Other::total = 1;
shop::Thing::Thing(int x) : x_(x) {}
bool operator==(const A &a, const A &b);
auto late(int x) -> int { return x; }
using Map = std::map<int, int>;
template <typename T> concept Small = sizeof(T) < 8;
extern "C" int c_function(void);
extern "C" {
void another(void);
}
