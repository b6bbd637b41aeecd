extension PluginTemplate {
  static let rust = #"""
    //! The plugin NAME.

    use std::ffi::{c_char, c_void, CStr};
    use std::ptr::null;

    // ---- The interface to the host, as promise_plugin.h has it. ----

    #[repr(C)]
    struct Function {
        signature: *const c_char,
        entry: *const c_void,
        description: *const c_char,
    }

    #[repr(C)]
    pub struct Plugin {
        size: u32,
        abi_min: u32,
        abi_max: u32,
        function_size: u32,
        id: *const c_char,
        version: *const c_char,
        description: *const c_char,
        required: *const *const c_char,
        load: *const c_void,
        unload: *const c_void,
        functions: *const Function,
        function_count: usize,
        layouts: *const c_void,
        layout_count: usize,
    }

    // All that they point to is constant.
    unsafe impl Sync for Function {}
    unsafe impl Sync for Plugin {}

    const PROMISE_OK: i32 = 0;
    const PROMISE_EINVAL: i32 = -1;

    extern "C" {
        fn malloc(size: usize) -> *mut c_void;
    }

    // ---- The functions. A panic in one of them ends the process. ----

    /// Returns the sum, modulo 2^32.
    extern "C" fn add(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    /// Returns text of malloc(), which the host frees: `own(free)` in the signature. NULL rejects the call.
    unsafe extern "C" fn greet(name: *const c_char) -> *mut c_char {
        let text = format!("Hello, {}!\0", CStr::from_ptr(name).to_string_lossy());
        let memory = malloc(text.len()) as *mut c_char;
        if !memory.is_null() {
            std::ptr::copy_nonoverlapping(text.as_ptr() as *const c_char, memory, text.len());
        }
        memory
    }

    /// Fails: `!` in the signature. A negative status rejects the call.
    unsafe extern "C" fn divide(a: i64, b: i64, result: *mut i64, _error: *mut c_void) -> i32 {
        match a.checked_div(b) {
            Some(quotient) => {
                *result = quotient;
                PROMISE_OK
            }
            None => PROMISE_EINVAL,
        }
    }

    static FUNCTIONS: [Function; 3] = [
        Function {
            signature: c"add(a: u32, b: u32 = 1) -> u32".as_ptr(),
            entry: add as *const c_void,
            description: c"The sum of two numbers.".as_ptr(),
        },
        Function {
            signature: c"greet(name: cstr = \"world\") -> own(free) cstr".as_ptr(),
            entry: greet as *const c_void,
            description: c"A greeting.".as_ptr(),
        },
        Function {
            signature: c"divide(a: i64, b: i64) -> i64 !".as_ptr(),
            entry: divide as *const c_void,
            description: c"The quotient, without its fraction.".as_ptr(),
        },
    ];

    static PLUGIN: Plugin = Plugin {
        size: std::mem::size_of::<Plugin>() as u32,
        abi_min: 1,
        abi_max: 1,
        function_size: std::mem::size_of::<Function>() as u32,
        id: c"PLUGIN_ID".as_ptr(),
        version: c"0.1.0".as_ptr(),
        description: c"A new plugin.".as_ptr(),
        required: null(),
        load: null(),
        unload: null(),
        functions: FUNCTIONS.as_ptr(),
        function_count: FUNCTIONS.len(),
        layouts: null(),
        layout_count: 0,
    };

    #[no_mangle]
    pub extern "C" fn promise_plugin_entry(_host_abi: u32) -> *const Plugin {
        &PLUGIN
    }

    """#
}
