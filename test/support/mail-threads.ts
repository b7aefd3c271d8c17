/** How programs break the headers of a reply to `parent`, whose ancestors are `earlier`. */
export const damages: readonly ((parent: string, earlier: string[]) => string[])[] = [
  (parent, earlier) => [
    `In-Reply-To: <${parent}>`,
    `References: ${[...earlier, parent].map((id) => `<${id}>`).join(' ')}`,
  ],
  (parent) => [`In-Reply-To: <${parent}>`],
  (parent, earlier) => [`References: ${[...earlier, parent].map((id) => `<${id}>`).join('\r\n ')}`],
  (parent) => [`In-Reply-To: Your message of Monday <${parent}>`],
  (parent) => [`In-Reply-To: ${parent}`],
  (parent, earlier) => [`References: ${[...earlier, parent].map((id) => `<${id}>`).join(',')}`],
  (parent) => ['In-Reply-To: <made-up@elsewhere>', `References: <made-up-too@elsewhere> <${parent}>`],
  (parent) => [`in-reply-to:<${parent}>`],
  (parent) => [`References: <${parent}`],
  // The newest id is missing: an older one of the thread is known.
  (_parent, earlier) => [
    `References: ${earlier.map((id) => `<${id}>`).join(' ') || '<none@x>'} <lost@elsewhere>`,
  ],
];
