// What the exchanges of ladders did, as findings and lines of a diagnosis.
#pragma once

#include "mbnn/judge/report.h"

namespace mbnn {

// From the diagnosis' statistics; nothing where chains have no ladders.
void judge_ladders(Diagnosis& diagnosis);

}  // namespace mbnn
