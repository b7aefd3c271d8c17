/**
 * How writes are batched and committed is decided in platform/db, behind the message intake and behind `insertRecord`.
 * Routes and other features call a rule and do not choose.
 */
import { isTest, type Rule, withoutComments } from './import-rules.ts';

/** Statements know how they are sent, so *.sql.ts may use these. */
const ofStatements = /\b(autocommit|queryLast|queryAndCommit|writeBatched)\b/;
const ofTransactions =
  /\b(together|hot|oneStatement|isOneStatement|endsWithRule|mayCommitWithLastQuery|checkedAtEnd|commitElsewhere|hasBegun)\b|\bverify: '\w+'/;
/** Where the choice is made. */
const internals = [
  'channels/channels.account-config.ts',
  'kanbans/kanbans.definitions.ts',
  'messages/messages.intake.ts',
  'records/records.create.ts',
].map((path) => `server/features/${path}`);

const writesHideTheirCommit: Rule = ({ path, text }) => {
  if (!/^server\/(features\/|[a-z-]+\.ts$)/.test(path) || isTest(path) || internals.includes(path)) return [];
  const code = withoutComments(text);
  // Words of a language, in texts for people and in SQL, are no names.
  const names = code.replace(/`[^`]*`/g, '``').replace(/'(?!first'|last')[^'\n]*'/g, "''");
  const found = ofTransactions.exec(names) ?? (path.endsWith('.sql.ts') ? null : ofStatements.exec(names));
  return found
    ? [
        `says ${found[0]}. How a write is batched and committed is decided in platform/db, messages.intake.ts and insertRecord: call the rule.`,
      ]
    : [];
};

export const writeRules: Rule[] = [writesHideTheirCommit];
