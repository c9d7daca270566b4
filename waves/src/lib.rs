//! Wave capture and viewer layouts.
