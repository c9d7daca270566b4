//! The contract of a block: ports, the [`Block`] and [`Dut`] traits, and the `ports!` table they are declared with.
//!
//! A `ports!` table is the single place where a port's name, width and order stand. The Rust struct, the packed row of
//! a recording, wave names and (by test) the RTL's leaf signals follow from it. The first field is at bit 0; a field
//! without a width has the width of its type; a field whose type is itself a group is flattened as `<field>_<member>`.

use crate::bits::{BitReader, BitWriter, words_for};
use crate::config::UnitCfg;

/// Which way a port points, seen from the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Driven by the surroundings.
    In,
    /// Driven by a register of the block.
    Out,
    /// A reusable group of fields with no direction of its own.
    Group,
}

/// One leaf signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Signal name, as in the Verilog header and in waves.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// What the signal carries.
    pub doc: &'static str,
}

/// A value that can stand on a port: a leaf signal or a group of them.
pub trait PortValue: Copy + Default {
    /// Appends the leaf signals of this value under `name`; `width` is the declared width, if any.
    fn fields(cfg: &UnitCfg, name: &str, width: Option<u32>, doc: &'static str, out: &mut Vec<Field>);
    /// Appends the value's bits.
    fn put(&self, cfg: &UnitCfg, width: Option<u32>, out: &mut BitWriter<'_>);
    /// Reads the value's bits.
    fn get(cfg: &UnitCfg, width: Option<u32>, from: &mut BitReader<'_>) -> Self;
    /// The value as an increment, for `stat_*` ports.
    fn increment(&self) -> u64 {
        0
    }
}

/// A port struct: named leaf signals in a fixed order.
pub trait Ports: Copy + Default {
    /// Whether these are inputs or outputs.
    const DIRECTION: Direction;
    /// The leaf signals in order; the first is at bit 0 of a packed row.
    fn fields(cfg: &UnitCfg) -> Vec<Field>;
    /// Packs the values into `out`, which has at least [`row_words`] words.
    fn pack(&self, cfg: &UnitCfg, out: &mut [u64]);
    /// The values of a packed row.
    fn unpack(cfg: &UnitCfg, row: &[u64]) -> Self;
    /// The `stat_*` fields alone, packed in order from bit 0, and how many bits they have.
    fn stat_bits(&self) -> (u64, u32);
}

/// Bits in a packed row of `P`.
pub fn row_bits<P: Ports>(cfg: &UnitCfg) -> usize {
    P::fields(cfg).iter().map(|f| f.width as usize).sum()
}

/// 64-bit words in a packed row of `P`.
pub fn row_words<P: Ports>(cfg: &UnitCfg) -> usize {
    words_for(row_bits::<P>(cfg))
}

/// A clock cycle, counted from power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycle(pub u64);

/// A Moore machine with one clock: every output comes from a register.
///
/// Callers sample the outputs of all blocks, then step all blocks: no settling, no combinational path between blocks.
pub trait Block {
    /// Inputs; the first field is `reset`.
    type In: Ports;
    /// Outputs, all registered.
    type Out: Ports;
    /// A block after power-on, as after reset.
    fn new(cfg: &UnitCfg) -> Self;
    /// Samples the outputs before the next edge.
    fn outputs(&self, out: &mut Self::Out);
    /// One rising clock edge.
    fn step(&mut self, inp: &Self::In);
    /// `None`: the block may change at the next edge. `Some(c)`: with inputs held at `inp`, nothing changes before
    /// cycle `c`, counted from the next edge as 0; `Cycle(u64::MAX)` means not before an input changes.
    fn idle_until(&self, inp: &Self::In) -> Option<Cycle>;
}

/// Any view of a block, for lockstep: row in, row out, then the clock edge.
pub trait Dut {
    /// Samples the outputs of this cycle into `out`, then takes the edge with `inp`.
    fn cycle(&mut self, inp: &[u64], out: &mut [u64]);
}

/// A [`Block`] as a [`Dut`].
#[derive(Clone, Debug)]
pub struct BlockDut<B: Block> {
    cfg: UnitCfg,
    block: B,
    outputs: B::Out,
}

impl<B: Block> BlockDut<B> {
    /// A fresh block in configuration `cfg`.
    pub fn new(cfg: &UnitCfg) -> Self {
        Self { cfg: cfg.clone(), block: B::new(cfg), outputs: B::Out::default() }
    }
}

impl<B: Block> Dut for BlockDut<B> {
    fn cycle(&mut self, inp: &[u64], out: &mut [u64]) {
        self.block.outputs(&mut self.outputs);
        self.outputs.pack(&self.cfg, out);
        self.block.step(&B::In::unpack(&self.cfg, inp));
    }
}

/// Implements [`PortValue`] for a type that converts to and from its low bits.
#[macro_export]
macro_rules! port_leaf {
    ($t:ty, $width:expr, |$v:ident| $to:expr, |$b:ident| $from:expr) => {
        impl $crate::ports::PortValue for $t {
            fn fields(
                _: &$crate::config::UnitCfg,
                name: &str,
                width: Option<u32>,
                doc: &'static str,
                out: &mut Vec<$crate::ports::Field>,
            ) {
                out.push($crate::ports::Field { name: name.into(), width: width.unwrap_or($width), doc });
            }
            fn put(&self, _: &$crate::config::UnitCfg, width: Option<u32>, out: &mut $crate::bits::BitWriter<'_>) {
                let $v = *self;
                out.put($to, width.unwrap_or($width));
            }
            fn get(_: &$crate::config::UnitCfg, width: Option<u32>, from: &mut $crate::bits::BitReader<'_>) -> Self {
                let $b = from.get(width.unwrap_or($width));
                $from
            }
            fn increment(&self) -> u64 {
                let $v = *self;
                $to
            }
        }
    };
}

port_leaf!(bool, 1, |v| u64::from(v), |b| b != 0);
port_leaf!(u8, 8, |v| u64::from(v), |b| b as u8);
port_leaf!(u16, 16, |v| u64::from(v), |b| b as u16);
port_leaf!(u32, 32, |v| u64::from(v), |b| b as u32);
port_leaf!(u64, 64, |v| v, |b| b);

/// Declares port structs. `in` and `out` structs implement [`Ports`]; a `group` is for use inside them.
///
/// `|cfg|` names the [`UnitCfg`] that width expressions may use.
#[macro_export]
macro_rules! ports {
    ($(|$cfg:ident| $(#[$meta:meta])* $kind:ident $name:ident {
        $( $(#[doc = $doc:expr])+ $field:ident : $type:ty $(= $width:expr)? ),* $(,)?
    })*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $( $(#[doc = $doc])+ pub $field: $type, )* }

        impl $crate::ports::PortValue for $name {
            #[allow(unused_variables)]
            fn fields($cfg: &$crate::config::UnitCfg, name: &str, _: Option<u32>, _: &'static str,
                      out: &mut Vec<$crate::ports::Field>) {
                $( <$type as $crate::ports::PortValue>::fields(
                    $cfg, &$crate::ports::join(name, stringify!($field)), None::<u32>$(.or(Some($width)))?,
                    concat!($($doc),+), out); )*
            }
            #[allow(unused_variables)]
            fn put(&self, $cfg: &$crate::config::UnitCfg, _: Option<u32>, out: &mut $crate::bits::BitWriter<'_>) {
                $( <$type as $crate::ports::PortValue>::put(
                    &self.$field, $cfg, None::<u32>$(.or(Some($width)))?, out); )*
            }
            #[allow(unused_variables)]
            fn get($cfg: &$crate::config::UnitCfg, _: Option<u32>, from: &mut $crate::bits::BitReader<'_>) -> Self {
                Self { $( $field: <$type as $crate::ports::PortValue>::get(
                    $cfg, None::<u32>$(.or(Some($width)))?, from), )* }
            }
        }

        impl $name {
            /// The `stat_*` fields alone, packed in order from bit 0, and how many bits they have.
            #[allow(unused_mut, clippy::missing_const_for_fn)]
            pub fn stat_fields(&self) -> (u64, u32) {
                let (mut bits, mut width) = (0u64, 0u32);
                $( if const { $crate::ports::is_stat(stringify!($field)) } {
                    bits |= $crate::ports::PortValue::increment(&self.$field) << width;
                    width += $crate::ports::stat_field_width(stringify!($type));
                } )*
                (bits, width)
            }
        }

        $crate::ports!(@ports $kind $name);
    )* };
    (@ports group $name:ident) => {};
    (@ports in $name:ident) => { $crate::ports!(@impl $name, In); };
    (@ports out $name:ident) => { $crate::ports!(@impl $name, Out); };
    (@impl $name:ident, $direction:ident) => {
        impl $crate::ports::Ports for $name {
            const DIRECTION: $crate::ports::Direction = $crate::ports::Direction::$direction;
            fn fields(cfg: &$crate::config::UnitCfg) -> Vec<$crate::ports::Field> {
                let mut out = Vec::new();
                <Self as $crate::ports::PortValue>::fields(cfg, "", None, "", &mut out);
                out
            }
            fn pack(&self, cfg: &$crate::config::UnitCfg, out: &mut [u64]) {
                $crate::ports::PortValue::put(self, cfg, None, &mut $crate::bits::BitWriter::new(out));
            }
            fn unpack(cfg: &$crate::config::UnitCfg, row: &[u64]) -> Self {
                <Self as $crate::ports::PortValue>::get(cfg, None, &mut $crate::bits::BitReader::new(row))
            }
            fn stat_bits(&self) -> (u64, u32) {
                self.stat_fields()
            }
        }
    };
}

/// Whether a port is a statistic.
pub const fn is_stat(name: &str) -> bool {
    let name = name.as_bytes();
    name.len() > 5 && name[0] == b's' && name[1] == b't' && name[2] == b'a' && name[3] == b't' && name[4] == b'_'
}

/// Width of a statistic by its type: a `bool` is one bit, a `u8` four.
pub const fn stat_field_width(type_name: &str) -> u32 {
    if type_name.len() == 4 { 1 } else { 4 }
}

/// The name of a member of a group.
pub fn join(group: &str, member: &str) -> String {
    if group.is_empty() { member.to_string() } else { format!("{group}_{member}") }
}
