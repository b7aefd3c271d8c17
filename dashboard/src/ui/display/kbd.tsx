const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);
const altSign = isMac ? '⌥' : 'Alt';
const signs: Record<string, string> = {
  mod: isMac ? '⌘' : 'Ctrl',
  alt: altSign,
  shift: '⇧',
  enter: '↵',
  space: 'Space',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
};

/** `mod+k` or `g b` (one after the other). */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span aria-hidden className="inline-flex items-center gap-0.5">
      {keys.split(/[ +]/).map((key) => (
        <kbd
          key={key}
          className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-[4px] border border-line-strong bg-surface px-1 font-sans text-xs text-muted"
        >
          {signs[key] ?? (key.length === 1 ? key.toUpperCase() : key)}
        </kbd>
      ))}
    </span>
  );
}
