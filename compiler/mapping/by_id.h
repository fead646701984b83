#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>

namespace accord {

/// Values of the few units or memories that a mapping works with, in the order of their ids; others have none. A
/// machine of many elements has hundreds, and searches ask for such values a million times.
template <typename T>
class ById {
 public:
  struct Entry {
    int id = -1;
    T value{};
  };

  T& operator[](int id) {
    auto place = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
    if (place == entries_.end() || place->id != id) place = entries_.insert(place, Entry{id, T{}});
    return place->value;
  }

  /// T{} where there is none.
  T of(int id) const {
    const auto place = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
    return place == entries_.end() || place->id != id ? T{} : place->value;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  boost::container::small_vector<Entry, 8> entries_;
};

/// The greatest of them; 0 where there is none.
inline double most_of(const ById<double>& values) {
  double most = 0;
  for (const auto& entry : values) most = std::max(most, entry.value);
  return most;
}

}  // namespace accord
