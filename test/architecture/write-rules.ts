/** How writes are batched and sent is decided in platform/db and where a submission is made. Others call a rule. */
import { isTest, type Rule, withoutComments } from './import-rules.ts';

/** Statements that commit themselves are in *.sql.ts. */
const ofStatements = /\bautocommit\b/;
/** What knows that a write may be shared. */
const ofSubmissions = /\bcreateBatchedWrite\b|\b(alone|shared)\(|\{ alone, shared \}/;
/** Where the submissions are made, and a connector's, which does more when it is alone. */
const submissions = [
  'ai-replies/ai-replies.batch.ts',
  'connectors/inbound/connectors.store.ts',
  'messages/messages.intake.ts',
  'records/records.create.ts',
].map((path) => `server/features/${path}`);

const writesHideTheirCommit: Rule = ({ path, text }) => {
  if (!/^server\/(features\/|[a-z-]+\.ts$)/.test(path) || isTest(path)) return [];
  const code = withoutComments(text);
  // Words of a language, in texts for people and in SQL, are no names.
  const names = code.replace(/`[^`]*`/g, '``').replace(/'[^'\n]*'/g, "''");
  const found =
    (path.endsWith('.sql.ts') ? null : ofStatements.exec(names)) ??
    (submissions.includes(path) ? null : ofSubmissions.exec(names));
  return found
    ? [
        `says ${found[0]}. How a write is batched and committed is decided in platform/db and where its submission is made: call the rule.`,
      ]
    : [];
};

export const writeRules: Rule[] = [writesHideTheirCommit];
