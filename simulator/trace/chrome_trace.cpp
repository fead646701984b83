#include "simulator/trace/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"

namespace accord::sim {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{512} << 20;
constexpr int layer_track = 0;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

ChromeTrace::ChromeTrace(const std::filesystem::path& file) : out_(file) {
  if (!out_) throw Error(fmt::format("{}: cannot be written", file.string()));
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  name_track(layer_track, "layers");
}

ChromeTrace::~ChromeTrace() {
  for (const auto& [track, slice] : pending_) write_slice(track, slice, slice.end);
  out_ << "\n]}\n";
}

void ChromeTrace::write(const std::string& event) {
  if (!first_) out_ << ",\n";
  first_ = false;
  out_ << event;
  written_ += static_cast<std::int64_t>(event.size()) + 2;
}

void ChromeTrace::name_track(int track, const std::string& name) {
  write(fmt::format(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track, quoted(name)));
  write(fmt::format(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", track,
                    track));
}

// Viewers nest the slices of a track; a pipelined unit begins its next operation before the last is done, so a slice
// ends where the next begins, and `done` tells the rest.
void ChromeTrace::slice(int track, const std::string& name, std::int64_t start, std::int64_t end,
                        std::int64_t instruction) {
  if (written_ > most_bytes) return;
  const auto pending = pending_.find(track);
  if (pending != pending_.end()) write_slice(track, pending->second, std::min(pending->second.end, start));
  pending_[track] = {name, start, end, instruction};
}

void ChromeTrace::write_slice(int track, const Slice& slice, std::int64_t end) {
  write(fmt::format(R"({{"ph":"X","pid":0,"tid":{},"name":{},"ts":{},"dur":{},"args":{{"instruction":{},"done":{}}}}})",
                    track, quoted(slice.name), slice.start, std::max<std::int64_t>(end - slice.start, 0),
                    slice.instruction, slice.end));
}

void ChromeTrace::layer(const std::string& name, std::int64_t start, std::int64_t end) {
  write(fmt::format(R"({{"ph":"X","pid":0,"tid":{},"name":{},"ts":{},"dur":{}}})", layer_track, quoted(name), start,
                    end - start));
}

}  // namespace accord::sim
