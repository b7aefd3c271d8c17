/** A rule as one column of cards: when, if, then. What it did, and why it did not run, is beside it. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Automation, AutomationSaved } from '../../../../contract/automation/automations.ts';
import { limits } from '../../../../contract/limits.ts';
import { useLeaveGuard } from '../../app/leave-guard.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { api } from '../../data/api.ts';
import { ApiError, describeError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { Notice } from '../../knowledge/knowledge-parts.tsx';
import { Danger } from '../../settings/parts/danger.tsx';
import { IdField } from '../../settings/parts/secret-part.tsx';
import { Section } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { bottomBar } from '../../ui/bottom-bar.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { reloadRules, ruleQuery } from '../rule-data.ts';
import { everyStep, type RuleContent, type RuleDraft, readRule, writeRule } from '../rule-draft.ts';
import { useRuleWords } from '../rule-words.ts';
import { subjectOf } from '../trigger-words.ts';
import { ConditionsEditor } from './conditions-editor.tsx';
import { MinutesField, ProblemLine, RuleCard } from './rule-parts.tsx';
import { findProblem, type Problem, ProblemProvider, readProblem, whereWords } from './rule-problems.ts';
import { RuleSecrets, type ShownSecrets, ShowSecrets } from './rule-secrets.tsx';
import { RuleSide } from './rule-side.tsx';
import { RuleSteps } from './rule-steps.tsx';
import { RuleStats } from './rules-settings.tsx';
import { TriggerCard } from './trigger-card.tsx';

/** Room for the settings, the rule and what is beside it. */
const wide = matchMedia('(min-width: 1400px)');
const onWidth = (listener: () => void) => {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
};

const parent = () => ({ id: 'automation', label: t('settings.automation') });
const toRule = (itemId: string) =>
  ({ to: '/settings/$section/$itemId', params: { section: 'automation', itemId } }) as const;

/** Either a rule that is stored, or the beginning of a new one. */
type EditorProps = { stored: Automation; begin?: never } | { stored?: never; begin: RuleContent };

export function RuleEditor({ stored: given, begin }: EditorProps) {
  const navigate = useNavigate();
  const words = useRuleWords();
  const isBeside = useSyncExternalStore(onWidth, () => wide.matches);
  const [stored, setStored] = useState(given ?? null);
  const [draft, setDraft] = useState(() => readRule(given ?? begin!));
  const [saved, setSaved] = useState(() => (given ? JSON.stringify(draft) : ''));
  const [known, setKnown] = useState<ReadonlySet<string>>(() => idsOf(draft));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [error, setError] = useState('');
  const [theirs, setTheirs] = useState<Automation | null>(null);
  const [busy, setBusy] = useState<'save' | 'enable' | null>(null);
  const [secrets, setSecrets] = useState<ShownSecrets | null>(null);
  const nameBox = useRef<HTMLDivElement>(null);
  const isNew = given === undefined;
  // Once its parts are loaded: what is not shown yet cannot have the focus.
  useEffect(() => {
    if (isNew) nameBox.current?.querySelector('input')?.focus();
  }, [isNew]);
  const isChanged = JSON.stringify(draft) !== saved;
  const guard = useLeaveGuard(isChanged, draft.name, {
    title: t('automation.leaveTitle'),
    text: t('automation.leaveText'),
    leave: t('automation.leave'),
    stay: t('automation.stay'),
    signOut: t('automation.signOut'),
  });
  const change = (part: Partial<RuleDraft>) => setDraft((now) => ({ ...now, ...part }));

  const take = (rule: Automation) => {
    const next = readRule(rule);
    setStored(rule);
    setDraft(next);
    setSaved(JSON.stringify(next));
    setKnown(idsOf(next));
    setTheirs(null);
    setProblem(null);
    setError('');
  };
  const fail = async (failure: unknown) => {
    const at = readProblem(failure);
    setProblem(at);
    setError(at ? t('automation.problem.at', { place: whereWords(draft, at) }) : describeError(failure).text);
    if (!stored || !(failure instanceof ApiError) || failure.code !== 'CONFLICT') return;
    const newest = await queryClient.fetchQuery(ruleQuery(stored.id)).catch(() => null);
    if (newest && newest.version !== stored.version) setTheirs(newest);
  };
  /** False: something is not complete, and the editor says where. */
  const check = (): boolean => {
    const found = findProblem(draft);
    setProblem(found);
    setError(found ? t('automation.problem.at', { place: whereWords(draft, found) }) : '');
    return found === null;
  };
  /** `enabled` undefined: it stays as it is. */
  const save = async (enabled?: boolean, version = stored?.version) => {
    if (busy || !check()) return;
    setBusy(enabled === undefined ? 'save' : 'enable');
    try {
      const body = { ...writeRule(draft), ...(enabled !== undefined && { enabled }) };
      const rule = stored
        ? await api<AutomationSaved>('PUT', `/automations/${stored.id}`, {
            body: { ...body, expectedVersion: version },
          })
        : await api<AutomationSaved>('POST', '/automations', { body });
      const { hookToken, secret, ...plain } = rule;
      take(plain);
      queryClient.setQueryData(ruleQuery(rule.id).queryKey, plain);
      void reloadRules();
      toast.done(t('automation.saved'));
      if (hookToken || secret)
        setSecrets({ hookToken: hookToken ?? null, secret: secret ?? null, created: rule.id });
      else if (!stored) leaveTo(rule.id);
    } catch (failure) {
      await fail(failure);
    } finally {
      setBusy(null);
    }
  };
  /** To the address of what was created. */
  const leaveTo = (id: string) => {
    guard.allow();
    void navigate({ ...toRule(id), replace: true });
  };
  const switchTo = async (enabled: boolean) => {
    setBusy('enable');
    setError('');
    try {
      const rule = await api<Automation>('PATCH', `/automations/${stored!.id}`, { body: { enabled } });
      setStored(rule);
      void reloadRules();
      toast.done(t(enabled ? 'automation.isOn' : 'automation.isOff'));
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(null);
    }
  };
  useShortcut(
    'mod+s',
    (event) => {
      event.preventDefault();
      void save();
    },
    { label: t('ui.save'), group: 'general' },
  );
  const isReady = draft.name.trim() !== '';
  const isOn = stored?.enabled ?? false;
  const conditionsText = words.conditions(draft.conditions);
  const bar = (
    <div
      ref={bottomBar}
      className="sticky -bottom-16 z-10 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-4 py-3 md:-mx-6 md:px-6"
    >
      <span aria-live="polite" className="min-w-0 flex-1 text-sm text-muted">
        {error && !theirs ? (
          <ProblemLine>{error}</ProblemLine>
        ) : isChanged ? (
          t('automation.unsaved')
        ) : (
          t(isOn ? 'automation.isOn' : 'automation.isOff')
        )}
      </span>
      {(isChanged || !stored) && (
        <Button
          tone={isOn ? 'primary' : 'plain'}
          busy={busy === 'save'}
          disabled={!isReady}
          onClick={() => void save()}
        >
          {t('ui.save')}
        </Button>
      )}
      {isChanged || !stored ? (
        !isOn && (
          <Button tone="primary" busy={busy === 'enable'} disabled={!isReady} onClick={() => void save(true)}>
            {t('automation.saveAndEnable')}
          </Button>
        )
      ) : (
        <Button
          tone={isOn ? 'plain' : 'primary'}
          busy={busy === 'enable'}
          onClick={() => void switchTo(!isOn)}
        >
          {t(isOn ? 'automation.disable' : 'automation.enable')}
        </Button>
      )}
    </div>
  );
  const side = (
    <RuleSide
      rule={stored}
      isBeside={isBeside}
      subject={subjectOf(draft.trigger)}
      ruleOf={() =>
        check() ? { ...writeRule(draft), name: draft.name.trim() || t('automation.new') } : null
      }
      onProblem={(failure) => void fail(failure)}
    />
  );
  return (
    <ProblemProvider value={problem}>
      <div className="flex min-h-0 min-w-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Section
            parent={parent()}
            name={draft.name || t('automation.new')}
            title={
              <span className="flex flex-wrap items-center gap-2">
                {stored ? stored.name : t('automation.new')}
                {stored && (
                  <Badge hue={isOn ? 'green' : undefined}>
                    {t(isOn ? 'automation.on' : 'automation.off')}
                  </Badge>
                )}
              </span>
            }
          >
            {stored && <RuleStats rule={stored} />}
            {stored?.disabledReason && (
              <Notice tone="danger">{t('automation.switchedOff', { reason: stored.disabledReason })}</Notice>
            )}
            {theirs && (
              <Conflict
                theirs={theirs}
                onTakeTheirs={() => take(theirs)}
                onKeepMine={() => {
                  setStored(theirs);
                  setTheirs(null);
                  void save(undefined, theirs.version);
                }}
              />
            )}
            <div ref={nameBox}>
              <TextField
                label={t('automation.name')}
                value={draft.name}
                maxLength={limits.nameLength}
                error={problem?.path === 'name' ? problem.message : undefined}
                onChange={(name) => change({ name })}
              />
            </div>
            <div className="flex flex-col">
              <TriggerCard trigger={draft.trigger} onChange={(trigger) => change({ trigger })} />
              <Join />
              <RuleCard
                title={t('automation.if')}
                text={conditionsText || t('automation.always')}
                label={t('automation.if')}
              >
                <ConditionsEditor
                  path="conditions"
                  group={draft.conditions}
                  onChange={(conditions) => change({ conditions })}
                />
              </RuleCard>
              <Join />
              <RuleCard title={t('automation.then')} label={t('automation.then')}>
                <RuleSteps
                  steps={draft.steps}
                  words={words}
                  known={known}
                  subject={subjectOf(draft.trigger)}
                  hasPayload={draft.trigger.on === 'hook'}
                  onChange={(steps) => change({ steps })}
                />
                <ProblemLine>{problem?.path === 'steps' && problem.message}</ProblemLine>
              </RuleCard>
            </div>
            <MinutesField
              label={t('automation.cooldown')}
              hint={t('automation.cooldownHint')}
              minutes={draft.cooldownMinutes || undefined}
              onChange={(minutes = 0) => change({ cooldownMinutes: minutes })}
            />
            {!isBeside && side}
            {stored && <RuleSecrets rule={stored} onShow={setSecrets} />}
            {stored && (
              <>
                <IdField id={stored.id} />
                <DeleteRule
                  rule={stored}
                  onDeleted={() => {
                    guard.allow();
                    void navigate({ to: '/settings/$section', params: { section: 'automation' } });
                  }}
                />
              </>
            )}
            {bar}
          </Section>
        </div>
        {isBeside && side}
      </div>
      {secrets && (
        <ShowSecrets
          {...secrets}
          onClose={() => {
            const id = secrets.created;
            setSecrets(null);
            if (id && !given) leaveTo(id);
          }}
        />
      )}
      {guard.dialog}
    </ProblemProvider>
  );
}

const idsOf = (draft: RuleDraft) => new Set(everyStep(draft.steps).map(({ step }) => step.id));

/** The cards are one sentence. */
const Join = () => <span aria-hidden className="ml-6 h-4 w-px bg-line-strong" />;

function Conflict({
  theirs,
  onTakeTheirs,
  onKeepMine,
}: {
  theirs: Automation;
  onTakeTheirs(): void;
  onKeepMine(): void;
}) {
  const words = useRuleWords();
  const draft = useMemo(() => readRule(theirs), [theirs]);
  return (
    <section role="alert">
      <Notice
        tone="warning"
        action={
          <>
            <Button onClick={onTakeTheirs}>{t('automation.takeTheirs')}</Button>
            <Button tone="primary" onClick={onKeepMine}>
              {t('automation.keepMine')}
            </Button>
          </>
        }
      >
        <p className="font-medium">{t('automation.conflict', { name: theirs.updatedBy.name })}</p>
        <p>{t('automation.conflictText')}</p>
        <p className="mt-1">
          {theirs.name}: {words.when(draft)} → {draft.steps.map(words.step).join(' → ')}
        </p>
      </Notice>
    </section>
  );
}

function DeleteRule({ rule, onDeleted }: { rule: Automation; onDeleted(): void }) {
  const { id, name } = rule;
  return (
    <Danger
      title={t('automation.delete')}
      text={t('automation.deleteText')}
      consequence={t('automation.deleteConsequence')}
      name={name}
      action={t('ui.delete')}
      failed={t('automation.deleteFailed')}
      onConfirm={async () => {
        await api('DELETE', `/automations/${id}`);
        onDeleted();
        await reloadRules();
        toast.done(t('automation.deleted', { name }));
      }}
    />
  );
}
