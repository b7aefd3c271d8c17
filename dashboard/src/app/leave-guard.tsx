/** Nothing that was typed is lost by leaving, closing or signing out without being asked. */
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { signOutSteps } from '../data/session.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toast } from '../ui/overlays/toast.tsx';

export interface LeaveTexts {
  title: string;
  text: string;
  leave: string;
  stay: string;
  /** In place of signing out. */
  signOut: string;
}

/** `allow` is called before the editor itself leads elsewhere; `dialog` is a part of the page. */
export function useLeaveGuard(
  isChanged: boolean,
  /** Of what is edited. */
  name: string,
  texts: LeaveTexts,
): { allow(mayLeave?: boolean): void; dialog: ReactNode } {
  const mayLeave = useRef(false);
  const isHeld = () => isChanged && !mayLeave.current;
  const blocker = useBlocker({ shouldBlockFn: isHeld, enableBeforeUnload: isHeld, withResolver: true });
  const { signOut } = texts;
  useEffect(() => {
    if (!isChanged) return;
    const step = async () => {
      toast.problem(signOut, name);
      throw new Error('changes are not saved');
    };
    signOutSteps.add(step);
    return () => void signOutSteps.delete(step);
  }, [isChanged, name, signOut]);
  const allow = (may = true) => {
    mayLeave.current = may;
  };
  const dialog = blocker.status === 'blocked' && (
    <Dialog
      open
      onOpenChange={blocker.reset}
      title={texts.title}
      footer={
        <>
          <Button onClick={blocker.reset}>{texts.stay}</Button>
          <Button tone="danger" onClick={blocker.proceed}>
            {texts.leave}
          </Button>
        </>
      }
    >
      <p className="text-pretty">{texts.text}</p>
    </Dialog>
  );
  return { allow, dialog };
}
