//! Each rule of the judge with a legal trace that is accepted and a minimally wrong one that is refused.

#![allow(clippy::unwrap_used, reason = "test code")]

mod alias;
mod atomic;
mod ats;
mod attributes;
mod bytes;
mod coherent;
mod conditions;
mod faults;
mod layouts;
mod mapping;
mod multiple;
mod pages;
mod pasid;
mod protection;
mod random;
mod registration;
mod strays;
mod timeouts;
mod trace;
