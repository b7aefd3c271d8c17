import type { ReactNode } from 'react';

/** Makes the message that was searched for stand out. Others are left alone. */
export function HitFrame({ isHit, children }: { isHit: boolean; children: ReactNode }) {
  if (!isHit) return children;
  return (
    <div
      data-hit
      className="-mx-2 my-1 rounded-panel bg-accent-soft px-2 pt-0.5 pb-1.5 outline outline-accent/40"
    >
      {children}
    </div>
  );
}
