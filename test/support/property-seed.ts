// A property test generates new cases at every run; PROPERTY_SEED repeats a failed run.

export function propertySeed(name: string): number {
  const seed = Number(process.env.PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: PROPERTY_SEED=${seed}`);
  return seed;
}

/** A full run multiplies the cases; the default one stays short. */
export function propertyRuns(everyday: number): number {
  return Math.ceil(everyday * Number(process.env.PROPERTY_FACTOR ?? 1));
}
