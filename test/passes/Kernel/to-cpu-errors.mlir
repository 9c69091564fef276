// RUN: mpc-opt %s --split-input-file --verify-diagnostics --kernel-to-cpu

// expected-error @+1 {{has no schedule; run kernel-schedule first}}
kernel.func @unscheduled(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot be cut into 2 chunks}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #kernel.loops<chunks = 2>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{is no map: its statements differ in their index space or pass on elements}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #kernel.map<chunks = 1, lanes = 8>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{is no DAG of maps and reductions over one space}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #kernel.rows<chunks = 1, inner = 1, lanes = 8>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{has a schedule that CPUs do not know: "fast"}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = "fast"} {
  kernel.return %x : tensor<4xf32>
}

// -----

kernel.func @table(%d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #kernel.loops<chunks = 1>} {
  // expected-error @+1 {{in a kernel needs equal elements; pass a tensor of different ones as an argument}}
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  kernel.return %0 : tensor<4xf32>
}

// -----

kernel.func @call(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #kernel.loops<chunks = 1>} {
  // expected-error @+1 {{cannot stand in a kernel}}
  %0 = tensor.cast %x : tensor<4xf32> to tensor<4xf32>
  kernel.return %0 : tensor<4xf32>
}
