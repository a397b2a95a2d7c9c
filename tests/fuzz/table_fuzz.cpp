// Tables, the encoding that they teach, and the way of that encoding through JSON.
#include "mbnn/tables/columns/encoding.h"
#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

// The first byte chooses the options, the rest is the file.
void read_bytes(Bytes input) {
  if (input.empty()) return;
  const unsigned options = input[0];
  const std::string path = scratch_directory() + "/table.csv";
  write_file(path, input.subspan(1));
  TableOptions how;
  how.header = options & 1;
  if (options & 2) how.delimiter = ",;\t "[(options >> 2) & 3];
  how.decimal_commas = options & 16;
  const Table table = read_table(path, how);
  if (table.columns.empty()) return;
  EncodingOptions learn;
  learn.target = table.columns.back().name;
  learn.missing_is_error = options & 32;
  if (options & 64) learn.task = Task::classification;
  std::vector<std::string> notes;
  const Encoding encoding = Encoding::learn(table, learn, notes);
  const Dataset data = encoding.encode(table, Encoding::Needs::inputs_and_target, notes);
  if (data.x.size() != data.rows * encoding.inputs()) finding("an encoded table of another size");
  const Encoding back = Encoding::from_json(nlohmann::json::parse(encoding.to_json().dump()));
  if (!(back == encoding)) finding("an encoding that JSON changed");
  if (back.encode(table, Encoding::Needs::inputs, notes).x != encoding.encode(table, Encoding::Needs::inputs, notes).x)
    finding("an encoding that encodes otherwise after JSON");
}

std::vector<std::string> seeds() {
  const std::string none(1, '\0');
  return {
      "\x01"
      "a,b,y\n1,red,0.5\n2,blue,1.5\n,red,2.5\n4,red,3\n5,blue,1\n6,blue,7\n",
      "\x41"
      "x;klass\n1,5;ja\n2,5;nein\n3;ja\n4;ja\n5,25;nein\n6;nein\n",
      none + "1 2 3\n4 5 6\n7 8 10\n8 8 1\n9 9 9\n1 0 0\n",
      "\x0b"
      "\"a \"\"b\"\"\"\tc\r\n\"1\"\t3\r\nNA\t4\r\n3\t5\r\n4\t6\r\n5\t6\r\n6\t7\r\n7\t9\r\n",
      "\x01"
      "date,y\n2021-01-01,1e30\n2021-01-02,-1e-30\n2021-01-03,4\n2021-01-04,5\n2021-01-05,6\n2021-01-06,7\n"};
}

}  // namespace mbnn::fuzz
