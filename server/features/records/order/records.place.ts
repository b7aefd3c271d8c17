/**
 * Places in the manual order, as numbers of 192 bits: a time, then an id. A card that was never moved has the place of
 * its creation, so newer ones come first. A moved card gets a place between its neighbours. Nothing here knows the
 * database.
 */
export interface Place {
  at: number;
  placeId: string;
}

/** A place with its record: equal places are ordered by it. */
export interface PlacedRecord extends Place {
  id: string;
}

const idBits = 128n;
const idMask = (1n << idBits) - 1n;
/** After spreading, so many moves to the same spot are possible at least: this many bits are between two cards. */
const spreadBits = 32n;

const numberOf = ({ at, placeId }: Place): bigint =>
  (BigInt(at) << idBits) + BigInt(`0x${placeId.replaceAll('-', '')}`);

function placeOf(number: bigint): Place {
  const hex = (number & idMask).toString(16).padStart(32, '0');
  const placeId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { at: Number(number >> idBits), placeId };
}

/** Whether `one` comes before `other`: larger places come first. */
export function isBefore(one: PlacedRecord, other: PlacedRecord): boolean {
  const [left, right] = [numberOf(one), numberOf(other)];
  return left === right ? one.id > other.id : left > right;
}

/** In the middle of two places; null: there is none between them. */
export function placeBetween(above: Place, below: Place): Place | null {
  const [high, low] = [numberOf(above), numberOf(below)];
  return high - low < 2n ? null : placeOf((high + low) >> 1n);
}

/** As if the record were created now, but above all others. */
export const placeAbove = (first: Place, id: string, now: number): Place => ({
  at: Math.max(now, first.at + 1),
  placeId: id,
});

export const placeBelow = (last: Place, id: string): Place => ({ at: last.at - 1, placeId: id });

/**
 * Evenly distributed places for `count` records below `above`, in order; null: too little space above `below`. Without
 * `below` there is always enough.
 */
export function spread(above: Place, below: Place | null, count: number): Place[] | null {
  const high = numberOf(above);
  const low = below ? numberOf(below) : high - (BigInt(count + 1) << idBits);
  const step = (high - low) / BigInt(count + 1);
  if (step < 1n << spreadBits) return null;
  return Array.from({ length: count }, (_, i) => placeOf(high - step * BigInt(i + 1)));
}
