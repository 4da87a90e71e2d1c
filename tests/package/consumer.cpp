#include <cstdio>

#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/task.h"

int main() {
  fovea::RandomStream stream(0, "consumer");
  std::printf("%zu tasks, first draw %.3f\n", fovea::Registry<fovea::Task>::instance().all().size(), stream.uniform());
}
