//! Functions that panic: through the edge that lets a panic pass, and through the one that does not.

/// Panics unless the number is even.
#[no_mangle]
pub extern "C-unwind" fn passes(number: i32) -> i32 {
    assert!(number % 2 == 0, "{number} is odd");
    number / 2
}

/// Panics where no panic can pass.
#[no_mangle]
pub extern "C" fn aborts() {
    panic!("no way out");
}
