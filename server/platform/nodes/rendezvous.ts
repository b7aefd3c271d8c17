/**
 * Rendezvous hashing: every node computes the same order of nodes for a key, without talking to the others. When a node
 * leaves, only its own keys move, spread over the rest.
 */

export interface Ranked {
  /** Of the node's name; see `hashOf`. */
  hash: number;
  /** Decides between equal scores. */
  id: string;
}

/** FNV-1a over the characters, mixed. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** The best node first. */
export function rankFor<Node extends Ranked>(key: string, nodes: readonly Node[]): Node[] {
  const hash = hashOf(key);
  return nodes
    .map((node) => ({ node, score: mix(hash ^ node.hash) }))
    .sort((a, b) => b.score - a.score || (a.node.id < b.node.id ? -1 : 1))
    .map(({ node }) => node);
}

/** The last step of MurmurHash3: every bit of the input changes half of the bits of the result. */
function mix(input: number): number {
  let hash = input;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
