//! What may be done with memory: operations, rights, owners, address types, modes.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Operation of a work request (4 bits on a port).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Op(pub u8);

impl Op {
    /// Write message data to memory.
    pub const WRITE: Self = Self(0);
    /// Read memory into the read-data stream.
    pub const READ: Self = Self(1);
    /// Atomic fetch-and-add.
    pub const FETCH_ADD: Self = Self(2);
    /// Atomic swap.
    pub const SWAP: Self = Self(3);
    /// Atomic compare-and-swap.
    pub const CAS: Self = Self(4);

    /// Whether memory is changed.
    pub const fn writes(self) -> bool {
        self.0 != Self::READ.0
    }
    /// Whether data comes back.
    pub const fn reads(self) -> bool {
        self.0 != Self::WRITE.0
    }
    /// Whether memory is read and changed in one step, by an AtomicOp request.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::FETCH_ADD | Self::SWAP | Self::CAS)
    }
    /// Operand sizes in bytes that an atomic may have, which are the lengths of its work request (PCIe 6.x 6.15.2); none
    /// for other operations. The operand stands at a multiple of its size.
    pub const fn operand_sizes(self) -> &'static [u32] {
        match self {
            Self::FETCH_ADD | Self::SWAP => &[4, 8],
            Self::CAS => &[4, 8, 16],
            _ => &[],
        }
    }
    /// Message bytes of an atomic with operands of `size` bytes: what is added or stored, or what is compared and then
    /// what is stored. They are the payload of its TLP.
    pub const fn operand_bytes(self, size: u32) -> u32 {
        match self {
            Self::CAS => 2 * size,
            _ => size,
        }
    }
}
crate::port_leaf!(Op, 4, |v| u64::from(v.0), |b| Op(b as u8));

/// Who owns the memory behind an MTT entry (one bit of the entry).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// Host memory: the entry holds an IOVA, to be sent untranslated.
    #[default]
    Host,
    /// GPU memory: the entry holds the final bus address, to be sent translated.
    Gpu,
}
crate::port_leaf!(Owner, 1, |v| u64::from(v == Owner::Gpu), |b| if b == 1 { Owner::Gpu } else { Owner::Host });

/// The AT field of a memory request (2 bits; PCIe 6.x 10.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AddressType(pub u8);

impl AddressType {
    /// AT = 00: the address is an IOVA.
    pub const UNTRANSLATED: Self = Self(0b00);
    /// AT = 01: a Translation Request.
    pub const TRANSLATION_REQUEST: Self = Self(0b01);
    /// AT = 10: the address is a bus address.
    pub const TRANSLATED: Self = Self(0b10);
    /// AT = 11: reserved, an Unsupported Request.
    pub const RESERVED: Self = Self(0b11);
}
crate::port_leaf!(AddressType, 2, |v| u64::from(v.0), |b| AddressType(b as u8));

/// How a region's accesses are translated (2 bits).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The unit's default. In a work request's path this has been resolved already.
    #[default]
    Inherit,
    /// Every access leaves untranslated (AT = 00).
    Direct,
    /// Every access is translated through the ATC (AT = 10).
    Ats,
    /// Owner tags choose: host entries leave untranslated, GPU entries translated at once.
    Emtt,
}
crate::port_leaf!(Mode, 2, |v| v as u64, |b| Mode::from_bits(b as u8));

impl Mode {
    /// The mode of a 2-bit field.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::Inherit,
            1 => Self::Direct,
            2 => Self::Ats,
            _ => Self::Emtt,
        }
    }
    /// This mode, or the unit's default where it is inherited.
    pub const fn or(self, default: Self) -> Self {
        match self {
            Self::Inherit => default,
            own => own,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inherit => "inherit",
            Self::Direct => "direct",
            Self::Ats => "ats",
            Self::Emtt => "emtt",
        })
    }
}

/// Rights of a memory region (verbs access flags); local read is always granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rights {
    /// The owner may write through the key.
    pub local_write: bool,
    /// A remote peer may read.
    pub remote_read: bool,
    /// A remote peer may write.
    pub remote_write: bool,
    /// A remote peer may use atomics.
    pub remote_atomic: bool,
}

impl Rights {
    /// Every right.
    pub const ALL: Self = Self { local_write: true, remote_read: true, remote_write: true, remote_atomic: true };

    /// Whether everything that `other` grants is granted.
    pub const fn cover(self, other: Self) -> bool {
        (self.local_write || !other.local_write)
            && (self.remote_read || !other.remote_read)
            && (self.remote_write || !other.remote_write)
            && (self.remote_atomic || !other.remote_atomic)
    }

    /// Whether `op`, remote or local, is allowed.
    pub const fn allow(self, op: Op, remote: bool) -> bool {
        match (op, remote) {
            (Op::WRITE, true) => self.remote_write,
            (Op::READ, true) => self.remote_read,
            (Op::READ, false) => true,
            (_, true) => self.remote_atomic,
            (_, false) => self.local_write,
        }
    }
}

/// PASID attributes of a region's accesses, or of one: what a PASID TLP prefix carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PasidPrefix {
    /// Whether there is a PASID at all; "no PASID" is not PASID 0.
    pub valid: bool,
    /// The PASID, 20 bits.
    pub pasid: crate::addr::Pasid,
    /// Execute Requested.
    pub exec: bool,
    /// Privileged Mode Requested.
    pub privileged: bool,
}

impl crate::ports::PortValue for PasidPrefix {
    fn fields(
        _: &crate::config::UnitCfg,
        name: &str,
        _: Option<u32>,
        _: &'static str,
        out: &mut Vec<crate::ports::Field>,
    ) {
        for (member, width, doc) in [
            ("valid", 1, "a PASID is given"),
            ("value", 20, "the PASID"),
            ("exec", 1, "Execute Requested"),
            ("priv", 1, "Privileged Mode Requested"),
        ] {
            out.push(crate::ports::Field { name: format!("{name}_{member}"), width, doc });
        }
    }
    fn put(&self, _: &crate::config::UnitCfg, _: Option<u32>, out: &mut crate::bits::BitWriter<'_>) {
        out.put(u64::from(self.valid), 1);
        out.put(u64::from(self.pasid.0), 20);
        out.put(u64::from(self.exec), 1);
        out.put(u64::from(self.privileged), 1);
    }
    fn get(_: &crate::config::UnitCfg, _: Option<u32>, from: &mut crate::bits::BitReader<'_>) -> Self {
        Self {
            valid: from.get(1) != 0,
            pasid: crate::addr::Pasid(from.get(20) as u32),
            exec: from.get(1) != 0,
            privileged: from.get(1) != 0,
        }
    }
}

/// Why a request ended (8 bits): one syndrome an error, 0 for success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Syndrome(pub u8);

macro_rules! syndromes {
    ($($(#[doc = $doc:expr])+ $name:ident = $code:expr, $text:expr;)*) => {
        impl Syndrome {
            $( $(#[doc = $doc])+ pub const $name: Self = Self($code); )*
            /// Every syndrome with its code and its text, in order of the code.
            pub const TABLE: &'static [(Self, &'static str)] = &[$((Self::$name, $text)),*];
        }
    };
}

syndromes! {
    /// Success.
    OK = 0, "ok";
    /// The key's index lies outside the MPT, or the entry is not valid.
    INVALID_KEY = 1, "invalid-key";
    /// The key variant differs from the region's.
    KEY_VARIANT = 2, "key-variant";
    /// The protection domain differs from the region's.
    PD = 3, "protection-domain";
    /// The region belongs to another function.
    FUNCTION = 4, "function";
    /// The range leaves the region, or wraps past 2^64.
    BOUNDS = 5, "bounds";
    /// The region does not grant the operation.
    RIGHTS = 6, "rights";
    /// The MTT entry is not present.
    NOT_PRESENT = 7, "not-present";
    /// The page does not grant the operation.
    PAGE_RIGHTS = 8, "page-rights";
    /// The translation agent gave no access (R = W = 0), or not the access needed.
    TRANSLATION_ACCESS = 9, "translation-access";
    /// The translation agent answered UR or CA, or with a malformed answer.
    TRANSLATION_FAILED = 10, "translation-failed";
    /// A table fetch ended in UR, CA, poison or a malformed answer.
    TABLE_FETCH = 11, "table-fetch";
    /// A data read ended in Unsupported Request.
    UNSUPPORTED_REQUEST = 12, "unsupported-request";
    /// A data read ended in Completer Abort.
    COMPLETER_ABORT = 13, "completer-abort";
    /// Data arrived poisoned.
    POISONED = 14, "poisoned";
    /// A completion did not arrive in time.
    COMPLETION_TIMEOUT = 15, "completion-timeout";
    /// A completion broke the rules of its request (too long, wrong order).
    MALFORMED_COMPLETION = 16, "malformed-completion";
    /// Bus mastering of the function is off.
    BUS_MASTER_OFF = 17, "bus-master-off";
    /// The access would have to leave translated while ATS of the function is off.
    ATS_OFF = 18, "ats-off";
    /// The operation is not supported by this unit.
    UNSUPPORTED_OP = 19, "unsupported-op";
    /// The host answered a Page Request with "invalid request": the page is not the function's, or lacks the access.
    PAGE_INVALID = 20, "page-invalid";
    /// The host answered a Page Request of the function with "failure": its Page Request Interface has stopped.
    PAGE_FAILURE = 21, "page-failure";
    /// The page was said to be there as often as is asked for, and still was not.
    PAGE_RETRIES = 22, "page-retries";
    /// The driver refused to make the page present.
    PAGE_REFUSED = 23, "page-refused";
    /// The length of an atomic is not one of its operand sizes.
    ATOMIC_SIZE = 24, "atomic-size";
    /// The address of an atomic is not a multiple of its operand size.
    ATOMIC_ALIGNMENT = 25, "atomic-alignment";
    /// AtomicOp Requester Enable of the function is off.
    ATOMIC_OFF = 26, "atomic-off";
    /// The access needs a PASID prefix while PASID of the function is off.
    PASID_OFF = 27, "pasid-off";
    /// The image of a registration is not well formed, is not that of the key, or stands outside the memory for images.
    BAD_IMAGE = 28, "bad-image";
    /// The region that a window is to be bound to is not valid, or not one that this window may be bound to.
    BIND_PARENT = 29, "bind-parent";
    /// The key is not set aside for what is asked: no key of work requests, a window instead of a region or the other way
    /// round, or a window that is bound already.
    KEY_STATE = 30, "key-state";
}

impl Syndrome {
    /// Whether the request succeeded.
    pub const fn is_ok(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Syndrome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::TABLE.iter().find(|(s, _)| s == self) {
            Some((_, text)) => f.write_str(text),
            None => write!(f, "syndrome-{}", self.0),
        }
    }
}
crate::port_leaf!(Syndrome, 8, |v| u64::from(v.0), |b| Syndrome(b as u8));
