// The whole library for users: tables in, fits on disk, predictions and diagnoses out.
#pragma once

#include "mbnn/baselines/run.h"
#include "mbnn/data/encoding.h"
#include "mbnn/data/table.h"
#include "mbnn/diagnose/report.h"
#include "mbnn/fit/run.h"
#include "mbnn/predict/mixture.h"
#include "mbnn/predict/predictive.h"
#include "mbnn/predict/quick.h"
