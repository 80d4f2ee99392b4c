//! The result of a search for orbits, and the images of a placed message.

use super::super::draft::Draft;
use super::board::Ground;

/// Result of a search: a partial schedule, and the messages that are not in it.
pub(super) struct Found {
    pub draft: Draft,
    pub steps: u32,
    pub open: Vec<u32>,
}

/// Adds a message and all its images to the draft.
pub(super) fn unfold(
    ground: &Ground<'_>,
    message: u32,
    step: u32,
    path: &[u32],
    draft: &mut Draft,
) {
    let Ground { action, steps, .. } = ground;
    let mut images = Vec::with_capacity(path.len());
    for member in 0..action.group.order() as u32 {
        let acting = steps.acting_of[member as usize] as usize;
        images.clear();
        images.extend(path.iter().map(|&resource| action.image(member, resource)));
        let message = action.message_image(member, message);
        draft.push(message, steps.images(acting)[step as usize], &images);
    }
}
