//! Crate docs.
use std::collections::HashMap;
use crate::a::{self, B, c as d, e::{f, *}};
pub use self::shop::Order as Sold;
pub(crate) mod shop;
extern crate serde;

/// An order.
#[derive(Debug, Clone)]
#[cfg(feature = "s3cret")]
pub struct Order<'a, T: Clone = u8>
where
    T: Send,
{
    pub id: u64,
    name: &'a str,
    #[serde(default)]
    pub(crate) items: Vec<[T; 4]>,
}

pub struct Point(pub f64, f64);
struct Unit;

pub enum State {
    Open,
    Done(u8),
    Failed { why: String },
}

pub trait Store: Send {
    const LIMIT: usize = 5;
    type Item;
    fn get(&self, id: u64) -> Option<Self::Item>;
    async fn put(&mut self) {}
}

impl<'a, T: Clone> Order<'a, T> {
    pub const fn new(id: u64, name: &'a str) -> Self {
        fn local() {}
        todo!()
    }
    fn hidden(self) {}
}

impl<T> Store for Order<'_, T> {
    type Item = T;
    fn get(&self, id: u64) -> Option<T> { None }
}

#[macro_export]
macro_rules! order {
    ($x:expr) => { $x };
}

pub const KEY: &str = "hunter2";
const PRIVATE: u8 = 1;
pub static mut COUNT: u32 = 0;
pub type Result<T> = std::result::Result<T, Error>;

mod inner {
    pub(super) fn helper() {}
    mod deeper;
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}

pub unsafe extern "C" fn raw(x: *const u8) -> i32 { 0 }
extern "C" {
    pub fn strlen(s: *const u8) -> usize;
}
union Bits { f: f32, u: u32 }
