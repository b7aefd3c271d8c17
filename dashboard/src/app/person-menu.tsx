import { Suspense } from 'react';
import { useHasNews } from '../data/releases.ts';
import { useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Avatar } from '../ui/display/avatar.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { lazyView } from './lazy-view.tsx';
import { NewsDot } from './news-dot.tsx';
import { rowClass } from './rail-links.tsx';

const Items = lazyView(() => import('./person-menu-items.tsx'), 'PersonMenuItems');

export function PersonMenu({ folded }: { folded: boolean }) {
  const { user } = useSignedIn();
  const hasNews = useHasNews();
  const isAway = user.availability === 'away';
  return (
    <Menu
      side="top"
      trigger={
        <button
          type="button"
          className={cx(rowClass(folded), 'mt-1 h-8')}
          onPointerEnter={() => void Items.preload()}
          onFocus={() => void Items.preload()}
        >
          <span aria-hidden className="relative flex">
            <Avatar id={user.id} name={user.name} tip={false} />
            <span
              className={cx(
                'absolute -right-0.5 -bottom-0.5 size-2 rounded-full ring-2 ring-canvas',
                isAway ? 'border border-faint bg-canvas' : 'bg-success',
              )}
            />
            {hasNews && <NewsDot className="absolute -top-0.5 -right-0.5 ring-2 ring-canvas" />}
          </span>
          {!folded && <span className="min-w-0 flex-1 truncate text-left text-ink">{user.name}</span>}
          <span className="sr-only">
            {t('rail.account')} {isAway && t('availability.away')} {hasNews && t('news.unread')}
          </span>
        </button>
      }
    >
      <Suspense>
        <Items />
      </Suspense>
    </Menu>
  );
}
