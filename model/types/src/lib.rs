//! Plain types shared by every view of the translation unit.
