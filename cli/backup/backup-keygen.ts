import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createKeyPair } from '../../server/platform/backups/encryption.ts';
import { type Command, CommandError, readOptions, requireOption } from '../command.ts';

export const backupKeygen: Command = {
  usage: '--to <file>',
  help: `Options:
  --to <file>  a new file for the private key

Prints the public key, for BACKUP_PUBLIC_KEY. Run it on another machine than the server, and keep the file where a fire in
the server room cannot reach it: without it the backups cannot be read.`,

  async run(args, terminal) {
    const options = readOptions(args, { to: { type: 'string' } });
    const path = resolve(requireOption(options.to, 'to'));
    const { privateKey, publicKey } = await createKeyPair();
    const content = `# created: ${new Date().toISOString()}\n# public key: ${publicKey}\n${privateKey}\n`;
    try {
      writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(
        code === 'EEXIST' ? `${path} already exists` : `${path} cannot be written (${code})`,
      );
    }
    terminal.print(publicKey);
    terminal.say(`The private key is in ${path}. Without it the backups cannot be read.`);
    return 0;
  },
};
