# The target of the trampolines of scalar callbacks, entered with the thunk in r10: saves the argument registers, so
# that C++ finds them in memory.
#if defined(__x86_64__) && defined(__linux__)
        .text
        .globl  plugin_thunk_scalars
        .hidden plugin_thunk_scalars
        .type   plugin_thunk_scalars, @function
        .p2align 4
plugin_thunk_scalars:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        # 6 integer registers, 8 floating-point registers, 16 bytes of result.
        subq    $128, %rsp
        movq    %rdi, 0(%rsp)
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        movsd   %xmm0, 48(%rsp)
        movsd   %xmm1, 56(%rsp)
        movsd   %xmm2, 64(%rsp)
        movsd   %xmm3, 72(%rsp)
        movsd   %xmm4, 80(%rsp)
        movsd   %xmm5, 88(%rsp)
        movsd   %xmm6, 96(%rsp)
        movsd   %xmm7, 104(%rsp)
        movq    %r10, %rdi
        movq    %rsp, %rsi
        leaq    16(%rbp), %rdx
        leaq    112(%rsp), %rcx
        call    plugin_thunk_enter_scalars@PLT
        # The result is in one of the two, depending on its type.
        movq    112(%rsp), %rax
        movsd   112(%rsp), %xmm0
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   plugin_thunk_scalars, .-plugin_thunk_scalars
#endif
        .section .note.GNU-stack, "", @progbits
