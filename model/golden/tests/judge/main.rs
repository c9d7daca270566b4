//! Each rule of the judge with a legal trace that is accepted and a minimally wrong one that is refused.

#![allow(clippy::unwrap_used, reason = "test code")]

mod alias;
mod ats;
mod bytes;
mod faults;
mod mapping;
mod pages;
mod protection;
mod random;
mod trace;
