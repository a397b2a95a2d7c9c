// The whole library for users: tables in, fits on disk, predictions and diagnoses out.
#pragma once

#include "mbnn/judge/mixture.h"
#include "mbnn/tables/baselines/methods.h"
#include "mbnn/tables/columns/encoding.h"
#include "mbnn/tables/columns/table.h"
#include "mbnn/tables/predictive.h"
#include "mbnn/tables/quick.h"
#include "mbnn/tables/report.h"
#include "mbnn/tables/table_fit.h"
