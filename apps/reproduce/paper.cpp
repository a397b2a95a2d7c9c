#include "apps/reproduce/paper.h"

namespace mbnn::studies {

namespace {

// Standard errors as printed: those of coverage at λ = 0.075 on Boston and Concrete and at 0.125 on Boston (.142, .127,
// .061) look like slips of the paper's own table.
const std::vector<PaperFigure> kPaperFigures{
    {"boston", "bnn", "", .912, .006, 3.411, .145, 2.726, .087, 1.738, .052, 1000, 1000},
    {"boston", "ns-vi", "", .746, .010, 3.079, .179, 4.242, .568, 1.661, .069, 13, 21},
    {"boston", "mbnn", "0.075", .924, .142, 2.961, .142, 2.547, .079, 1.535, .057, 102, 44},
    {"boston", "mbnn", "0.1", .933, .007, 2.902, .143, 2.472, .085, 1.462, .055, 29, 12},
    {"boston", "mbnn", "0.125", .939, .061, 2.790, .170, 2.381, .063, 1.431, .061, 11, 5},
    {"concrete", "bnn", "", .908, .008, 5.080, .178, 3.091, .055, 2.658, .072, 1000, 1000},
    {"concrete", "ns-vi", "", .568, .011, 5.046, .149, 9.713, .686, 2.965, .088, 30, 19},
    {"concrete", "mbnn", "0.075", .916, .127, 4.908, .127, 3.023, .034, 2.626, .062, 108, 54},
    {"concrete", "mbnn", "0.1", .912, .009, 4.913, .180, 3.027, .046, 2.628, .087, 35, 17},
    {"concrete", "mbnn", "0.125", .924, .006, 5.002, .139, 3.035, .035, 2.683, .068, 16, 7},
    {"energy", "bnn", "", .945, .005, .591, .017, .902, .025, .322, .007, 1000, 1000},
    {"energy", "ns-vi", "", .913, .006, 1.322, .117, 1.792, .121, .720, .055, 7, 10},
    {"energy", "mbnn", "0.075", .943, .005, .473, .012, .676, .030, .254, .005, 211, 210},
    {"energy", "mbnn", "0.1", .945, .004, .474, .015, .670, .034, .256, .006, 35, 17},
    {"energy", "mbnn", "0.125", .955, .004, .510, .026, .736, .047, .278, .013, 19, 13},
    {"yacht", "bnn", "", .977, .006, .675, .048, 1.011, .056, .332, .013, 1000, 1000},
    {"yacht", "ns-vi", "", .932, .011, 1.842, .096, 1.915, .063, .969, .042, 102, 54},
    {"yacht", "mbnn", "0.075", .976, .006, .604, .054, .920, .084, .295, .015, 317, 193},
    {"yacht", "mbnn", "0.1", .953, .008, .664, .044, .932, .062, .318, .015, 120, 76},
    {"yacht", "mbnn", "0.125", .954, .011, .621, .054, .966, .102, .301, .023, 42, 26},
};

}  // namespace

const PaperFigure* paper_figure(const std::string& set, const std::string& method, const std::string& lambda) {
  for (const PaperFigure& figure : kPaperFigures)
    if (figure.set == set && figure.method == method && figure.lambda == lambda) return &figure;
  return nullptr;
}

}  // namespace mbnn::studies
