/** What menus, popovers and tooltips are given, before and after their code is loaded. */
import type { ReactElement, ReactNode, RefCallback, RefObject } from 'react';

export interface Late {
  isOpen: boolean;
  setOpen(open: boolean): void;
  /** It was open once. */
  isWanted: boolean;
  /** The button. */
  anchor: RefObject<HTMLElement | null>;
  /** For the button, which may have its own. */
  ref: RefCallback<HTMLElement>;
  contentId: string;
  /** The user's last input was a key. */
  isByKey(): boolean;
}

export interface MenuProps {
  trigger: ReactElement;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'right' | 'bottom' | 'left';
  open?: boolean;
  onOpenChange?(open: boolean): void;
}

export interface MenuItemProps {
  icon?: ReactNode;
  children: ReactNode;
  onSelect(): void;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Shows a tick: the item is a choice. */
  checked?: boolean;
  /** Lets the menu stay open, for several choices. */
  stay?: boolean;
  /** For screen readers, where the content is only a sign. */
  label?: string;
  /** Only as wide as its content, for several in a row. */
  isCompact?: boolean;
}

export interface PopoverProps {
  trigger: ReactElement;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
  open?: boolean;
  onOpenChange?(open: boolean): void;
  className?: string;
  label?: string;
}

export interface TooltipProps {
  text: ReactNode;
  shortcut?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactElement;
}
