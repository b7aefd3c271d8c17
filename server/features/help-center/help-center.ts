/** The public site with the articles of an account: its settings, and what others may use of it. */
import type { HelpCenter, HelpCenterUpdate } from '../../../contract/help-center.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, conflict } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, audit, differences, findAccount, lockAccountConfig } from '../accounts/accounts.ts';
import { eraseFiles, takePublicImages } from '../attachments/attachments.ts';
import { checkTextsByLanguage } from '../knowledge/knowledge.ts';
import { isWebChannel } from './help-center.articles.sql.ts';
import {
  countOtherSlugs,
  deleteHelpCenter,
  findHelpCenter,
  saveHelpCenter,
  takeSlug,
} from './help-center.sql.ts';

export { pruneVoters } from './help-center.feedback.ts';
export { findSiteOfAccount } from './help-center.sql.ts';
export { suggestArticles } from './help-center.suggest.ts';

/** Of the slugs of an instance with several databases. */
export const helpSlugClaim = 'help-slug';

export async function readHelpCenter(db: Reader, accountId: string): Promise<HelpCenter> {
  const stored = await findHelpCenter(db, accountId);
  if (stored) return stored;
  const { name, language } = (await findAccount(db, accountId))!;
  return {
    enabled: false,
    slug: null,
    name,
    color: '#5059d1',
    logoFileKey: null,
    languages: [language],
    homeText: '',
    homeTexts: {},
    contactChannelId: null,
  };
}

export async function changeHelpCenter(
  tx: Tx,
  actor: Actor,
  now: number,
  change: HelpCenterUpdate,
): Promise<HelpCenter> {
  const { accountId } = actor;
  // One after the other: two changes of different settings must not undo each other.
  await lockAccountConfig(tx, accountId);
  const before = await readHelpCenter(tx, accountId);
  const after = {
    ...before,
    ...change,
    name: change.name === undefined ? before.name : checkName(change.name),
    color: change.color?.toLowerCase() ?? before.color,
    homeTexts:
      change.homeTexts === undefined
        ? before.homeTexts
        : checkTextsByLanguage('homeTexts', change.homeTexts, limits.helpHomeLength),
  };
  if (after.enabled && after.slug === null) throw badRequest('slug is required before the site is enabled');
  const { contactChannelId } = after;
  if (contactChannelId !== null && contactChannelId !== before.contactChannelId) {
    const isFound = isId(contactChannelId) && (await isWebChannel(tx, accountId, contactChannelId));
    if (!isFound) throw badRequest('contactChannelId is not a website channel of this account');
  }
  if (after.logoFileKey !== before.logoFileKey) {
    if (after.logoFileKey !== null) await requireLogo(tx, actor, after.logoFileKey, now);
    if (before.logoFileKey !== null) await eraseFiles(tx, accountId, [before.logoFileKey]);
  }
  await saveHelpCenter(tx, accountId, after, now);
  await audit(tx, actor, now, {
    action: 'help_center.updated',
    target: { type: 'help_center', id: accountId },
    changes: differences({ ...before }, { ...after }),
  });
  // Last: in another database, the claim stays when this transaction does not.
  if (after.slug !== null && after.slug !== before.slug) await requireSlug(tx, accountId, after.slug);
  return after;
}

/** Whether the account has set anything of it. */
export async function hasHelpCenter(db: Reader, accountId: string): Promise<boolean> {
  return (await findHelpCenter(db, accountId)) !== null;
}

/** Unless it has another slug now. The slug stays with the account. */
export async function removeHelpCenter(tx: Tx, accountId: string, slug: string): Promise<void> {
  const logos = await deleteHelpCenter(tx, accountId, slug);
  await eraseFiles(tx, accountId, logos);
}

async function requireSlug(tx: Tx, accountId: string, slug: string): Promise<void> {
  if ((await countOtherSlugs(tx, accountId, slug)) >= limits.helpSlugs)
    throw conflict(`an account can use at most ${limits.helpSlugs} slugs: take one that it has used`);
  const isFree = (await takeSlug(tx, accountId, slug)) && (await tx.claim(helpSlugClaim, slug, accountId));
  if (!isFree) throw conflict('slug is used by another account');
}

async function requireLogo(tx: Tx, { accountId, id }: Actor, fileKey: string, now: number): Promise<void> {
  const isTaken = isId(fileKey) && (await takePublicImages(tx, accountId, [fileKey], id, now)).length > 0;
  if (!isTaken) throw badRequest('logoFileKey must be an image that you have uploaded and not used yet');
}

function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest('name is required');
  return name;
}
