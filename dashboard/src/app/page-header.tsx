import { PanelLeft } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { t } from '../texts/texts.ts';
import { IconButton } from '../ui/controls/button.tsx';

/** Opens the rail on a phone. */
export const OpenRail = createContext<() => void>(() => {});

export interface PageHeaderProps {
  /** Also the window's title. */
  title: string;
  mark?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

/** The 48 px header of a view: title, filters, and the primary action at the right. */
export function PageHeader({ title, mark, children, actions }: PageHeaderProps) {
  const openRail = useContext(OpenRail);
  useEffect(() => {
    document.title = `${title} · ${t('app.name')}`;
  }, [title]);
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface px-3 md:px-4">
      <IconButton label={t('rail.open')} tip={false} className="-ml-1 md:hidden" onClick={openRail}>
        <PanelLeft className="size-4" />
      </IconButton>
      <div className="flex min-w-0 items-center gap-2">
        {mark}
        <h1 className="truncate text-md font-semibold">{title}</h1>
      </div>
      {/* On a phone the title is shortened before the controls overlap. */}
      <div className="flex min-w-0 flex-1 items-center gap-2 max-sm:min-w-fit max-sm:gap-1">{children}</div>
      <div className="flex shrink-0 items-center gap-2">{actions}</div>
    </header>
  );
}
