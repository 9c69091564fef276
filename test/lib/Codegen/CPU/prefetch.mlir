// What a contraction needs next is asked for before it is needed.

// RUN: rm -rf %t && mkdir -p %t
// RUN: mpc-compile %s --eval --cpu=x86-64-v4 -o %t/model.mpc
// RUN: mpc-inspect %t/model.mpc --extract=%t/files
// RUN: llvm-objdump -d --no-show-raw-insn %t/files/kernels.o > %t/code.s
// RUN: FileCheck %s --input-file=%t/code.s
// RUN: grep -c prefetcht0 %t/code.s | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}38{{$}}

// The next chain is 128 k on, and 32 columns wide; behind the last one of a
// block the next panel begins, 512 k on.
// CHECK: leaq 0x80([[FIRST:%[a-z0-9]+]]), [[NEXT:%[a-z0-9]+]]
// CHECK: shlq $0x5, [[CHAIN:%[a-z0-9]+]]
// CHECK: cmpq {{%[a-z0-9]+}}, [[NEXT]]
// CHECK-NEXT: movl $0x4000, [[STRIDE:%[a-z]+]]
// CHECK-NEXT: cmovaeq {{%[a-z0-9]+}}, [[CHAIN]]

// A tile has 12 micro-tiles of rows. A panel's chain of 128 k is 256 lines, of
// which each micro-tile asks for 22. Its own begin 352 elements behind those of
// the one before.
// CHECK: imulq $0x160, [[MICRO_TILE:%[a-z0-9]+]], [[PLACE:%[a-z0-9]+]]
// CHECK-NEXT: addq {{%[a-z0-9]+}}, [[PLACE]]
// CHECK-NEXT: prefetcht0 (%[[PANEL:[a-z0-9]+]],[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x40(%[[PANEL]],[[PLACE]],4)
// CHECK-COUNT-19: prefetcht0 {{0x[0-9a-f]+}}(%[[PANEL]],[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x540(%[[PANEL]],[[PLACE]],4)

// The last chain, from k = 384 on, asks for 8 rows of the result, 2048 elements
// apart, with two lines of 16 each.
// CHECK-NEXT: cmpq $-0x201
// CHECK: leaq ({{%[a-z0-9]+}},[[MICRO_TILE]],8), [[PLACE]]
// CHECK-NEXT: shlq $0xb, [[PLACE]]
// CHECK: prefetcht0 (%[[RESULT:[a-z0-9]+]],[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x40(%[[RESULT]],[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x2000(%[[RESULT]],[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x2040(%[[RESULT]],[[PLACE]],4)
// CHECK-COUNT-11: prefetcht0 {{0x[0-9a-f]+}}(%[[RESULT]],[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0xe040(%[[RESULT]],[[PLACE]],4)

func.func @model(%a: tensor<2048x512xf32> {nn.name = "a"}, %b: tensor<2048x512xf32> {nn.name = "b"}) -> (tensor<2048x2048xf32> {nn.name = "c"}) {
  %c = nn.matmul %a, %b transpose_rhs : tensor<2048x512xf32>, tensor<2048x512xf32> -> tensor<2048x2048xf32>
  return %c : tensor<2048x2048xf32>
}
