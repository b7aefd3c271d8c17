/** What every layout of a board receives. */
import type { ReactNode } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { BoardSummary, Card } from '../../../../contract/dashboard.ts';
import type { BoardFilters, BoardLook, LayoutName } from './board-look.ts';

export interface LayoutProps {
  board: Kanban;
  filters: BoardFilters;
  look: BoardLook;
  /** Of everything that the filters find. */
  summary: BoardSummary | undefined;
  openId: string | null;
  onOpen(card: Card): void;
  onFilters(filters: BoardFilters): void;
  onLook(look: BoardLook): void;
  /** The status to which a new card is being added. */
  addingTo: string | null;
  onAddingTo(status: string | null): void;
}

/** Of the display button. */
export interface DisplayOptionsProps {
  board: Kanban;
  look: BoardLook;
  layout: LayoutName;
  onLook(look: BoardLook): void;
  filters: BoardFilters;
  onFilters(filters: BoardFilters): void;
}

/** The settings of a layout behind the display button; `sort` is the same in all of them. */
export interface DisplayProps extends DisplayOptionsProps {
  sort: ReactNode;
}
