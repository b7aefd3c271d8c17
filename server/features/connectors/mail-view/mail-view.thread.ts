/** Sanitises large mails beside the service, because it takes long and is of a stranger's making. */
import { parentPort } from 'node:worker_threads';
import { serveThread } from '../../../platform/concurrency/on-demand-thread.ts';
import { type CleanMail, type MailHtml, sanitiseMail } from './mail-view.sanitise.ts';

if (parentPort) serveThread<MailHtml, CleanMail>(parentPort, async (mail) => sanitiseMail(mail));
