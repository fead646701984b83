#include "simulator/trace/event_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"

namespace accord::sim {

namespace {

std::string json_quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

constexpr int whole_run = 0;  ///< process of what belongs to none

}  // namespace

EventFile::EventFile(const std::filesystem::path& file) : path_(file), out_(file) {
  if (!out_) throw Error(fmt::format("{}: cannot be written", file.string()));
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
}

EventFile::~EventFile() {
  if (out_.is_open()) out_ << "\n]}\n";
}

void EventFile::close() {
  out_ << "\n]}\n";
  out_.close();
  if (!out_) throw Error(fmt::format("{}: cannot be written", path_.string()));
}

void EventFile::write(const std::string& event) {
  if (written_ > 0) out_ << ",\n";
  out_ << event;
  written_ += static_cast<std::int64_t>(event.size()) + 2;
}

void EventFile::name_process(int process, const std::string& name) {
  write(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process, json_quoted(name)));
  write(
      fmt::format(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process, process));
}

void EventFile::name_track(Track track, const std::string& name) {
  write(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track.process,
                    track.thread, json_quoted(name)));
  write(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                    track.process, track.thread, track.thread));
}

void EventFile::begin(Track track, const std::string& name, Cycle at) {
  write(fmt::format(R"({{"ph":"B","pid":{},"tid":{},"name":{},"ts":{}}})", track.process, track.thread,
                    json_quoted(name), at));
}

void EventFile::end(Track track, Cycle at) {
  write(fmt::format(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", track.process, track.thread, at));
}

void EventFile::slice(Track track, const std::string& name, Cycle from, Cycle until, const std::string& arguments) {
  const std::string args = arguments.empty() ? "" : fmt::format(R"(,"args":{{{}}})", arguments);
  write(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"name":{},"ts":{},"dur":{}{}}})", track.process, track.thread,
                    json_quoted(name), from, until - from, args));
}

void EventFile::counter(int process, const std::string& name, const std::string& unit, Cycle at, double value) {
  write(fmt::format(R"({{"ph":"C","pid":{},"name":{},"ts":{},"args":{{{}:{}}}}})", process, json_quoted(name), at,
                    json_quoted(unit), value));
}

void EventFile::mark(const std::string& name, Cycle at) {
  write(fmt::format(R"({{"ph":"i","s":"g","pid":{},"tid":0,"name":{},"ts":{}}})", whole_run, json_quoted(name), at));
}

}  // namespace accord::sim
