// How a table becomes a dataset: what was learnt from the training rows, stored with the fit, applied to later tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mbnn/net/dense/dataset.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn {

struct EncodingOptions {
  std::string target = {};
  std::optional<Task> task = {};  // none = guess from the target
  bool scale_target = true;
  bool missing_is_error = false;  // refuse missing cells, at learning and ever after
  bool inputs_required = true;    // refuse a table without a column that can be an input
  std::size_t max_levels = 200;   // of a category: the most frequent ones; the others are taken together
};

class NumberCells;

class Encoding {
 public:
  // All rows of the table, or those listed.
  using Rows = std::optional<std::span<const std::size_t>>;
  enum class Needs { inputs, inputs_and_target };

  // Learns from the listed rows only, so that test rows of the same table leave no trace. Says in `notes` what it did.
  static Encoding learn(const Table& table, const EncodingOptions& options, std::vector<std::string>& notes,
                        Rows rows = {});

  // Matches columns by name. With the target needed, rows that lack it are left out, and the note says how many.
  Dataset encode(const Table& table, Needs needs, std::vector<std::string>& notes, Rows rows = {}) const;
  // The same, freeing each column once it is encoded: for numbers, the peak is hardly more than the table itself.
  Dataset encode(Table&& table, Needs needs, std::vector<std::string>& notes, Rows rows = {}) const;

  // The target of a table as numbers, as the training table wrote them.
  NumberCells target_numbers(const Table& table, const Column& column) const;

  // How to read a later table so that its columns get the kinds they had at training; names that it lacks are allowed.
  TableOptions table_options() const;

  Task task() const { return task_; }
  const std::string& target() const { return target_; }
  std::size_t inputs() const { return input_names_.size(); }
  const std::vector<std::string>& input_names() const { return input_names_; }  // age, age:missing, color=red
  std::size_t classes() const { return labels_.size(); }
  const std::vector<std::string>& labels() const { return labels_; }

  // A column of the table, and where its inputs stand in a row of a dataset.
  struct InputColumn {
    std::string name;
    std::size_t first = 0, count = 0;
    bool ordered = false;  // the first input is a number, larger for larger cells
  };
  std::vector<InputColumn> input_columns() const;
  // Of one row's inputs. A cell that none was missing like at training passes for the mean.
  bool cell_missing(std::size_t column, std::span<const float> row) const;
  // The cell that they stand for, to the digits of single precision; empty if it is missing.
  std::string cell_text(std::size_t column, std::span<const float> row) const;

  double target_mean() const { return target_mean_; }  // y = mean + sd * scaled
  double target_sd() const { return target_sd_; }

  nlohmann::json to_json() const;  // doubles come back to the same bits
  static Encoding from_json(const nlohmann::json& json);

  bool operator==(const Encoding&) const = default;

 private:
  // One encoded input: (raw - mean) / sd, where raw is the number itself, or 1 if the cell is that level, is that
  // weekday or is missing. Of a date the value is its seconds; place in the year and in the day are angles.
  struct Feature {
    enum class Role { value, level, missing, year_sin, year_cos, weekday, day_sin, day_cos };
    friend constexpr auto enum_names(Role) {
      return std::array{"value", "level", "missing", "year_sin", "year_cos", "weekday", "day_sin", "day_cos"};
    }
    Role role = Role::value;
    std::int32_t level = -1;  // or weekday, 0 is Monday
    double mean = 0;
    double sd = 1;
    bool indicates() const;  // is 0 or 1
    bool operator==(const Feature&) const = default;
  };
  // A column of the table and the inputs made of it, which stand side by side.
  struct Source {
    std::string name;
    ColumnKind kind = ColumnKind::numeric;
    std::vector<std::string> levels;
    bool rare_levels_dropped = false;
    std::vector<Feature> features;
    CellForm form = {};          // how the training table wrote numbers or dates
    double first = 0, last = 0;  // of the training dates
    bool operator==(const Source&) const = default;
  };

  void learn_target(const Table& table, const Column& target, const EncodingOptions& options,
                    std::span<const std::size_t> rows, std::vector<std::string>& notes);
  static Source learn_source(const Table& table, const Column& column, std::span<const std::size_t> rows,
                             std::size_t max_levels, std::vector<std::string>& notes);
  static Source learn_numeric(const Table& table, const Column& column, std::span<const std::size_t> rows);
  static Source learn_categorical(const Column& column, std::span<const std::size_t> rows, std::size_t max_levels,
                                  std::vector<std::string>& notes);
  static Source learn_dates(const Column& column, std::span<const std::size_t> rows, std::vector<std::string>& notes);
  // Adds the input that says where cells are missing, if only some are.
  static void add_missing(Source& source, std::size_t known, std::size_t rows);
  void name_inputs();
  static void check_feature(const Source& source, const Feature& feature);  // that was stored

  Dataset encode_columns(const Table& table, Table* consumed, Needs needs, std::vector<std::string>& notes,
                         Rows rows) const;
  static std::string input_name(const Source& source, const Feature& feature);
  // The raw value of a date's input. The trend is held where it would leave the training period far behind.
  static double date_value(const Source& source, const Feature& feature, double seconds);
  // The target (null if it is not needed), then the column of each source; raises all that the table lacks.
  std::vector<const Column*> match_columns(const Table& table, Needs needs) const;
  void encode_target(const Table& table, const Column& column, std::span<const std::size_t> rows, Dataset& data) const;
  void encode_source(const Source& source, const Table& table, const Column& column, std::span<const std::size_t> rows,
                     float* first, std::size_t stride, std::vector<std::string>& notes) const;

  Task task_ = Task::regression;
  std::string target_;
  ColumnKind target_kind_ = ColumnKind::numeric;
  NumberFormat target_format_;
  bool decimal_commas_ = false;  // of the training table: so later ones have them, too
  bool missing_is_error_ = false;
  double target_mean_ = 0;
  double target_sd_ = 1;
  std::vector<std::string> labels_;
  std::vector<Source> sources_;
  std::vector<std::string> input_names_;
};

}  // namespace mbnn
