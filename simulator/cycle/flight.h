#pragma once

#include <deque>
#include <vector>

#include "simulator/cycle/link.h"
#include "simulator/cycle/memory_ports.h"
#include "simulator/cycle/word_streams.h"
#include "simulator/modules/request_cursor.h"

namespace accord::sim::cycle {

/// A word at one end of a request, and how many of the bytes that pass the links lie before its end.
struct WordOfRequest {
  MemoryPorts* memory;
  std::int64_t address;
  std::int64_t until;
};

/// One request from its presentation to its arrival, word by word and beat by beat.
struct Flight {
  Operation* operation = nullptr;
  Request request;
  bool filling = false;
  bool last = false;       ///< of its operation
  std::int64_t fresh = 0;  ///< bytes that pass the links; 0: the mover holds them all
  std::vector<WordOfRequest> source, target;
  const std::vector<BeatLink*>* way = nullptr;
  std::deque<Passage> hops;
  Cycle crossing = 0;          ///< behind the last link
  std::size_t slot = 0;        ///< among those in flight
  std::size_t written = 0;     ///< words of the target that have been presented
  std::int64_t delivered = 0;  ///< bytes that have reached the target
  std::int64_t leaving = 0;    ///< of them, those whose words have their ports
  Cycle presented = 0;
  Cycle arrival = 0;
  bool begun = false;
  bool arrived = false;
};

/// Where a request's words lie: of a transfer at both ends, of a capability's operand at the off-chip one.
void place_words(Flight& flight, const Ports& ports);

/// Where a transfer's filled words lie.
void place_filled_words(Flight& flight, const Ports& ports);

}  // namespace accord::sim::cycle
