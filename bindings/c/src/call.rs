//! How calls from C come in and go out.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call went.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_status {
    /// It did what it says.
    Ok = 0,
    /// A pointer that may not be null was.
    Null = 1,
    /// The engine refused it; nothing changed.
    Refused = 2,
    /// Something else than text in UTF-8.
    NotUtf8 = 3,
    /// The engine failed where it must not: please report it. The world cannot be used any more, only destroyed.
    Panicked = 4,
}

/// Why a call did not do what it says.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: ds_status,
    pub text: String,
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { status: ds_status::Refused, text: error.to_string() }
    }
}

impl Failure {
    pub(crate) fn null(what: &str) -> Self {
        Self { status: ds_status::Null, text: format!("{what} must not be null") }
    }

    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self { status: ds_status::Refused, text: text.into() }
    }

    pub(crate) fn panicked() -> Self {
        Self {
            status: ds_status::Panicked,
            text: "the engine failed in an earlier call; destroy this world".into(),
        }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// Runs a call; keeps what it says when it fails.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Failure>) -> ds_status {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return ds_status::Ok,
        Ok(Err(failure)) => failure,
        Err(payload) => {
            let words = payload.downcast_ref::<String>().cloned();
            let words = words.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Failure { status: ds_status::Panicked, text: words.unwrap_or_else(|| "a panic".into()) }
        }
    };
    let text = CString::new(failure.text.replace('\0', " ")).unwrap_or_default();
    LAST.with_borrow_mut(|last| *last = text);
    failure.status
}

/// What the last call of this thread that failed said. Valid until the next one that fails; empty before the first.
#[unsafe(no_mangle)]
pub extern "C" fn ds_last_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ptr())
}

/// Version of the library, as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn ds_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"unknown",
        };
    VERSION.as_ptr()
}

/// What a pointer points to.
///
/// # Safety
/// Null, or valid for `'a`.
pub(crate) unsafe fn read<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::null(name))
}

/// As [`read`], to change.
///
/// # Safety
/// Null, or valid for `'a` and used by nobody else meanwhile.
pub(crate) unsafe fn change<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_mut() }.ok_or_else(|| Failure::null(name))
}

/// Writes a result.
///
/// # Safety
/// Null, or valid for a write.
pub(crate) unsafe fn give<T>(pointer: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: as the caller promises; what was there may not be initialised, so it is not dropped.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Several values in a row.
///
/// # Safety
/// Null, or valid for so many values for `'a`.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Failure::null(name)),
        // SAFETY: as the caller promises.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }),
    }
}

/// Text.
///
/// # Safety
/// Null, or ends with a zero.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(pointer) }
        .to_str()
        .map_err(|_| Failure { status: ds_status::NotUtf8, text: format!("{name} must be UTF-8") })
}

/// Writes as many values as there is room for, and how many there are.
///
/// # Safety
/// `room` null (with a capacity of 0), or valid for writes of `capacity` values; `count` null or valid for a write.
pub(crate) unsafe fn give_all<T>(
    values: impl Iterator<Item = T>,
    room: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    if room.is_null() && capacity > 0 {
        return Err(Failure::null("the room for values"));
    }
    let mut there = 0;
    for value in values {
        if there < capacity {
            // SAFETY: below the capacity that the caller promises.
            unsafe { room.add(there).write(value) };
        }
        there += 1;
    }
    // SAFETY: as the caller promises.
    unsafe { give(count, there, "count") }
}
