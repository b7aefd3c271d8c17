/** Releases are v1.7.<build>; CHANGELOG.md has an entry for each. */
export const version = 'v1.7.256';
