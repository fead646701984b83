#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/check/elaborate.h"

namespace accord {

/// Reads one entry of `isa.mnemonics`: meaning, encoding, bindings.
class MnemonicReader {
 public:
  /// `register_used` has one flag per register of the ISA; those that this mnemonic reads are set.
  MnemonicReader(Elaboration& elaboration, const NodeEntry& entry, std::vector<bool>& register_used);

  Mnemonic read();

 private:
  struct FieldSource {
    std::int64_t unit = 1;
    std::int64_t bias = 0;
    Place place;
    bool used = false;
  };
  /// A register named in a binding or update: fixed, or a file indexed by a field.
  struct RegisterReference {
    Binding::Base base = Binding::Base::none;
    int reg = -1;
    int index_field = -1;
  };

  void report(std::string_view code, const Place& place, std::string message, std::string hint = {});

  // encoding
  void read_fields(const Node* node);
  void read_field(const NodeEntry& entry, int& cursor);
  std::int64_t read_unit(const Node* node, std::string_view what, std::int64_t otherwise, std::int64_t low);
  void check_encoding();

  // meaning
  void read_meaning(const Node& node);
  void read_meaning(const std::string& key, const Node& value);
  /// A unit, or `array[FIELD].unit`: its elements, of which a field chooses. False where there is none such.
  bool read_unit(const std::string& text, const Place& place);
  bool is_unit(const std::string& text) const;
  bool read_elements(const std::string& text, const Place& place);
  void check_alike(const Place& place);
  std::vector<std::string> argument_names(int unit) const;
  void read_transfer(const Node& value);
  void read_run(const Node& value);
  void read_updates(const Node& registers, const Node* args);

  // arguments
  std::vector<std::string> argument_names() const { return argument_names(mnemonic_.unit); }
  void bind_arguments(const Node* args);
  std::optional<Binding> default_argument(const std::string& name) const;
  std::optional<Binding> default_transfer_argument(const std::string& name) const;
  std::optional<Binding> default_run_argument(const std::string& name) const;
  bool is_one(const std::string& argument) const;
  void read_post(const Node* node);

  std::optional<Binding> read_binding(const Node& node, std::string_view what);
  bool add_term(Binding& binding, std::string_view term, const Node& node);
  std::optional<RegisterReference> read_register(std::string_view text, const Place& place, bool reads);
  Binding field_binding(int field);
  int field(std::string_view name) const;
  int register_index(std::string_view name) const;

  Elaboration& elaboration_;
  Scope& scope_;
  const Isa& isa_;
  const NodeEntry& entry_;
  std::vector<bool>& register_used_;
  Mnemonic mnemonic_;
  std::vector<FieldSource> field_sources_;
  const Node* args_ = nullptr;
  bool meaning_sound_ = false;
};

}  // namespace accord
