//! The nearest of the known names to one that is not known, kept by an error for its help text.

/// See [`denym_data::nearest`].
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    denym_data::nearest(name, known).map(str::to_owned)
}
