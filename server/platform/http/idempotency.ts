/**
 * The table behind Idempotency-Key: a key belongs to its account, its actor, the method and the path with its query.
 * The last three are hashed into `place`. Responses are kept for 72 hours. Bodies are compared by a keyed hash and
 * responses are sealed: a request may contain a password, a response a token.
 */
import type { Db, Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { sealedFor } from '../secrets/sealed-columns.ts';
import { hmac, type Secrets, sameBytes, sha256 } from '../secrets/secrets.ts';
import { AppError } from './errors.ts';

export interface KeyClaim {
  accountId: string;
  place: Buffer;
  key: string;
  bodyHash: Buffer;
  /** Also with previous keys: the first request may have come before the key was rotated. */
  olderHashes: Buffer[];
}

/** Two callers never share a key: one must not get the other's response. */
export interface Caller {
  accountId: string;
  /** `user` or `token`: their ids differ only by chance. */
  kind: string;
  id: string;
}

export interface IdempotencyKeys {
  claimOf(caller: Caller, place: string, key: string, body: Buffer | null): KeyClaim;
  /** Null if the key is free; the earlier response if it was used; 422 if it was used for something else. */
  claim(tx: Tx, claim: KeyClaim): Promise<{ status: number; body: string } | null>;
  save(tx: Tx, claim: KeyClaim, status: number, body: string): Promise<void>;
}

const keepHours = 72;

export function createIdempotencyKeys(secrets: Secrets): IdempotencyKeys {
  const hashKeys = secrets.deriveKeys('idempotency-body');
  const context = (claim: KeyClaim) => sealedFor.idempotency(claim.accountId, claim.key);
  return {
    claimOf: ({ accountId, kind, id }, place, key, body) => {
      const [bodyHash, ...olderHashes] = hashKeys.map((one) => hmac(one, body?.toString('latin1') ?? ''));
      return { accountId, place: sha256(`${kind}:${id} ${place}`), key, bodyHash: bodyHash!, olderHashes };
    },
    async claim(tx, claim) {
      const [claimed] = await tx.query(sql`
        insert into idempotency_keys as k (account_id, place, key, body_hash, created_at)
        values (${claim.accountId}, ${claim.place}, ${claim.key}, ${claim.bodyHash}, now())
        on conflict (account_id, place, key) do update
          set body_hash = excluded.body_hash, created_at = excluded.created_at, status = null, body = null
          where k.created_at < now() - make_interval(hours => ${keepHours})
        returning 1`);
      if (claimed) return null;
      const [kept] = await tx.query<{ body_hash: Buffer; status: number; body: string }>(sql`
        select body_hash, status, body from idempotency_keys
        where account_id = ${claim.accountId} and place = ${claim.place} and key = ${claim.key}`);
      const hashes = [claim.bodyHash, ...claim.olderHashes];
      if (!kept || !hashes.some((hash) => sameBytes(kept.body_hash, hash))) {
        throw new AppError(
          422,
          'IDEMPOTENCY_MISMATCH',
          'this Idempotency-Key was already used with a different request',
        );
      }
      return { status: kept.status, body: secrets.open(kept.body, context(claim)) };
    },
    async save(tx, claim, status, body) {
      await tx.query(sql`
        update idempotency_keys set status = ${status}, body = ${secrets.seal(body, context(claim))}
        where account_id = ${claim.accountId} and place = ${claim.place} and key = ${claim.key}`);
    },
  };
}

export async function pruneIdempotencyKeys(db: Db): Promise<void> {
  await db.transaction((tx) =>
    tx.query(
      sql`delete from idempotency_keys where created_at < now() - make_interval(hours => ${keepHours})`,
      { timeoutMs: 60_000 },
    ),
  );
}

const erasedAtOnce = 500;

/** Removes the stored responses of an account that name a person; the keys can be used again. Returns how many. */
export async function eraseAnswers(
  db: Db,
  secrets: Secrets,
  accountId: string,
  names: (body: string) => boolean,
): Promise<number> {
  let removed = 0;
  for (let after: { place: Buffer; key: string } | null = null; ; ) {
    const rows: { place: Buffer; key: string; body: string | null }[] = await db.query(sql`
      select place, key, body from idempotency_keys
      where account_id = ${accountId} and (${after?.place ?? null}::bytea is null
        or (place, key) > (${after?.place ?? null}::bytea, ${after?.key ?? null}::text))
      order by place, key limit ${erasedAtOnce}`);
    const named = rows.filter(({ key, body }) => {
      const text = body && openAnswer(secrets, body, sealedFor.idempotency(accountId, key));
      return text !== null && names(text);
    });
    if (named.length > 0) {
      await db.transaction((tx) =>
        tx.query(sql`
          delete from idempotency_keys k
          using unnest(${named.map(({ place }) => place)}::bytea[], ${named.map(({ key }) => key)}::text[]) as n (place, key)
          where k.account_id = ${accountId} and k.place = n.place and k.key = n.key`),
      );
    }
    removed += named.length;
    if (rows.length < erasedAtOnce) return removed;
    after = rows.at(-1)!;
  }
}

/** Null: it was sealed with a key that is lost. */
function openAnswer(secrets: Secrets, sealed: string, context: string): string | null {
  try {
    return secrets.open(sealed, context);
  } catch {
    return null;
  }
}
