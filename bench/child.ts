/** A child process that answers messages: one question at a time, each with one answer. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Child {
  pid: number;
  ask<Answer>(question: object): Promise<Answer>;
  stop(): Promise<void>;
}

export function startChild(file: string, env: Record<string, string>, flags: string[] = []): Child {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: flags,
    env: { PATH: process.env.PATH, ...env },
    serialization: 'advanced',
  });
  return {
    pid: child.pid!,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const settle = (answer: { value: never } | { error: string }) => {
          child.off('message', settle).off('exit', died);
          if ('error' in answer) reject(new Error(answer.error));
          else resolve(answer.value);
        };
        const died = () => settle({ error: `${file} died` });
        child.once('message', settle).once('exit', died);
        child.send(question);
      }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The child's side. */
export function answerParent<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.on('message', (question: Question) => {
    answer(question).then(
      (value) => process.send?.({ value }),
      (error: Error) => process.send?.({ error: error.stack ?? error.message }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
