//! In which course of the history each block of a segment was written.

use serde::{Deserialize, Serialize};

use super::Block;

/// From which block on a course's number counts, in the order of the blocks; before the first, it is
/// course 0.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Courses(Vec<(usize, u32)>);

impl Courses {
    pub(super) fn all_of(course: u32) -> Self {
        let mut courses = Self::default();
        courses.begin(0, course);
        courses
    }

    pub(super) fn is_default(&self) -> bool {
        self.0.is_empty()
    }

    /// Blocks from there on are written in that course.
    pub(super) fn begin(&mut self, block: usize, course: u32) {
        self.0.retain(|&(from, _)| from < block);
        if self.last() != course {
            self.0.push((block, course));
        }
    }

    pub(super) fn block(&self, number: usize) -> Block {
        let course = self.0.iter().rev().find(|&&(from, _)| from <= number);
        Block { number, course: course.map_or(0, |&(_, course)| course) }
    }

    fn last(&self) -> u32 {
        self.0.last().map_or(0, |&(_, course)| course)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_belongs_to_the_last_course_that_began_at_or_before_it() {
        let mut courses = Courses::default();
        courses.begin(5, 1);
        courses.begin(3, 2);
        courses.begin(7, 4);
        let of = |number| courses.block(number).course;
        assert_eq!([0, 2, 3, 6, 7, 99].map(of), [0, 0, 2, 2, 4, 4]);
        assert!(Courses::all_of(0).is_default());
        assert_eq!(Courses::all_of(3).block(0).course, 3);
    }
}
