import { ApiTokenCreate } from '../contract/accounts.ts';
import { scopes as allScopes } from '../contract/limits.ts';
import { createToken, systemActor } from '../server/features/accounts/accounts.ts';
import { startClock } from '../server/platform/db/clock.ts';
import { checkObject } from '../server/platform/http/validation.ts';
import { type Command, readOptions, requireOption, UsageError } from './command.ts';
import { withAccount } from './instance.ts';

const msOfUnit = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const tokenCreate: Command = {
  usage: '--name <name> [--scopes a,b] [--expires 30d] [--account <id or name>] [--json]',
  help: `Options:
  --name <name>      what the token is for; it acts under this name. It belongs to the account's first
                     administrator and ends when that user is removed
  --scopes <a,b>     ${allScopes.join(', ')}; default: all but knowledge:write and manage
  --expires <time>   30d, 12h, 2w or 45m; default: no expiration
  --account <which>  id or name; needed only when there are several accounts
  --json             the whole response of POST /api-tokens instead of the token alone`,

  async run(args, terminal) {
    const options = readOptions(args, {
      name: { type: 'string' },
      scopes: { type: 'string' },
      expires: { type: 'string' },
      account: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const name = requireOption(options.name, 'name');
    const scopes = options.scopes?.split(',').map((scope) => scope.trim());
    const unknown = scopes?.find((scope) => !allScopes.some((known) => known === scope));
    if (unknown !== undefined) {
      throw new UsageError(`--scopes contains "${unknown}"; valid scopes: ${allScopes.join(', ')}`);
    }
    const lifetime = options.expires === undefined ? null : readLifetime(options.expires);

    return withAccount(terminal, options.account, async (db, account) => {
      const clock = await startClock(db);
      const now = clock.now();
      clock.stop();
      const input = checkObject(ApiTokenCreate, {
        name,
        ...(scopes && { scopes }),
        expiresAt: lifetime === null ? null : now + lifetime,
      });
      const created = await db.transaction((tx) => createToken(tx, systemActor(account.id), now, input));
      terminal.print(options.json ? JSON.stringify(created, null, 2) : created.token);
      if (!options.json) {
        terminal.say(
          `This token of "${account.name}" is shown only once. Scopes: ${created.scopes.join(', ')}. It belongs to ${created.createdBy.name}.`,
        );
      }
      return 0;
    });
  },
};

function readLifetime(text: string): number {
  const parts = /^(\d{1,6})([mhdw])$/.exec(text);
  const count = Number(parts?.[1] ?? 0);
  if (!parts || count === 0)
    throw new UsageError(`--expires must look like 30d, 12h, 2w or 45m, not "${text}"`);
  return count * msOfUnit[parts[2] as keyof typeof msOfUnit];
}
