import { useEffect, useMemo, useState } from "react"
import type { Answer } from "../../app/answer.ts"
import { useSaveKey } from "../../app/keys.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Dag } from "../../parts/dag/Dag.tsx"
import { Editor } from "../../parts/Editor.tsx"
import { Later, useEarly } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, flowlines } from "../../texts/en.ts"
import { Dialogs, type Open } from "./Dialogs.tsx"
import { FaultList } from "./FaultList.tsx"
import { FlowlineFrame } from "./FlowlineFrame.tsx"
import own from "./flowlines.module.css"
import { Given } from "./Given.tsx"
import { type Current, type Issue, inputsOf, isGone, nameOf, nodesFor, useNodes } from "./model.ts"
import { Newer } from "./Newer.tsx"
import { NodePanel } from "./NodePanel.tsx"
import { parametersSchema } from "./parameters.ts"
import { isObject, type Path } from "./schema.ts"
import { edit, toolsFor } from "./tools.ts"
import { useCheck } from "./useCheck.ts"
import { useEditing } from "./useEditing.ts"
import { useEditor } from "./useEditor.ts"
import { type Known, useReading } from "./useReading.ts"
import { useSave } from "./useSave.ts"
import { useSample, useTry, withCounts, withProblems } from "./useTry.ts"
import { streamsOf } from "./wires.ts"

const t = flowlines.edit
const tryPanel = () => import("./TryPanel.tsx")
const early = [tryPanel]

/** The editor of a flowline: its text, its faults, its DAG, and a form for the node at the cursor. */
export const Editing = ({
  tenant,
  id: address,
  current,
  begin,
  given,
  made
}: {
  readonly tenant: string
  readonly id: string
  readonly current: Answer<Current> | undefined
  /** The text of a new flowline. */
  readonly begin: Known
  /** A text from the link that opened the page; it takes precedence over a stored draft. */
  readonly given: string | undefined
  /** Shows the flowline as which this text was saved for the first time. */
  readonly made: (id: string) => void
}) => {
  const editing = useEditing(tenant, address, current?.value, begin.text)
  const id = isGone(current) ? "" : address
  const { text, isDirty, isKept, setText } = editing
  const mayChange = useMay("developer")
  const mayRun = useMay("operator")
  const [isNew] = useState(address === "")
  const isNamed = isNew || id === "" || current?.value !== undefined || current?.error !== undefined
  const filename = isNamed ? (current?.value?.filename ?? null) : undefined
  const reading = useReading(text, filename, [editing.kept, current?.value, begin])
  const { of, value, isRead, isGraphOld } = reading
  const { learn } = editing
  useEffect(() => {
    if (!isRead) return
    if (isGraphOld) learn(of, undefined)
    else if (isObject(value)) learn(of, value)
  }, [of, value, isRead, isGraphOld, learn])
  const { value: allNodes } = useNodes(tenant)
  const flowline = isObject(reading.value) ? reading.value : {}
  const nodes = useMemo(() => nodesFor(allNodes, flowline["runtime"]), [allNodes, flowline["runtime"]])
  const check = useCheck(tenant, mayChange && reading.faults.length === 0 ? text : undefined, filename, reading.format)
  const [edge, setEdge] = useState<string>()
  const [panel, setPanel] = useState<"node" | "try">("node")
  const [open, setOpen] = useState<Open>()
  const [sample, setSample] = useSample(tenant, address)

  const issues = useMemo(
    (): ReadonlyArray<Issue> =>
      reading.faults.length > 0 ? reading.faults.map((fault) => ({ ...fault, pointer: "" })) : check.issues,
    [reading.faults, check.issues]
  )
  const editor = useEditor(nodes, issues, !mayChange, reading.format, async (now) =>
    (await toolsFor(now, filename).get()).notationOf(now, filename)
  )
  const { offset, goTo } = editor

  const at = reading.places.findLastIndex(({ from }) => from <= offset)
  const dag = Array.isArray(flowline["dag"]) ? flowline["dag"] : []
  const index = at < 0 && dag.length > 0 ? 0 : at
  const node: unknown = dag[index]
  const selectedNode = reading.graph.nodes[index]?.id
  const cursor: Path = useMemo(() => reading.pathAt(offset), [reading.pathAt, offset])

  const trial = useTry(
    tenant,
    sample,
    inputsOf(dag, nodes).map(([name]) => name),
    text
  )
  const isOld = trial.isOld(reading.of)
  const graph = useMemo(
    () => withProblems(withCounts(reading.lastGraph, isOld ? undefined : trial.answer), issues),
    [reading.lastGraph, isOld, trial.answer, issues]
  )
  const onSelect = (chosen: string) => {
    const found = reading.graph.nodes.findIndex((one) => one.id === chosen)
    setEdge(found < 0 ? chosen : undefined)
    if (found < 0) setPanel("try")
    else reading.withPlaces((places) => places[found] && goTo(places[found].from))
  }
  const apply = (next: string | undefined) => {
    if (next === undefined) toast(t.byHand)
    else if (!editor.replace(next)) setText(next)
  }
  const hasTests = Array.isArray(flowline["tests"]) && flowline["tests"].length > 0
  const { save, failure, isSaving, isConflict, wantsTests, setWantsTests } = useSave({
    tenant,
    id,
    editing,
    filename,
    format: reading.format,
    hasTests,
    saved: current?.again ?? (() => {}),
    made
  })
  // Stays enabled when there is nothing to save, so that it does not lose the focus.
  const trySave = () => {
    if (!mayChange || isSaving) return
    if (isDirty || id === "") void save()
    else toast(t.nothingToSave)
  }
  useSaveKey(trySave)
  const isEditable = !reading.isTooLarge
  const textNow = () => editor.text() ?? text
  useEarly(early)
  const runTry = () => trial.run(text, filename, reading.format)

  return (
    <FlowlineFrame
      id={address}
      name={address === "" ? flowlines.create : nameOf(flowline, address)}
      view="edit"
      actions={
        <>
          <span className={own.saved} role="status">
            {isSaving ? t.saving : isDirty ? t.unsaved : id === "" ? t.notSaved : t.saved(editing.base)}
          </span>
          {mayChange && hasTests ? (
            <label className={own.inline}>
              <input type="checkbox" checked={wantsTests} onChange={({ target }) => setWantsTests(target.checked)} />
              {t.withTests}
            </label>
          ) : null}
          {mayChange && isDirty ? (
            <Button
              className={look.button!}
              onPress={() => editing.take(current?.value ?? { version: editing.base, text: editing.was })}
            >
              {t.discard}
            </Button>
          ) : null}
          {mayChange && id !== "" ? (
            <Button className={look.button!} onPress={() => setOpen("remove")}>
              {common.remove}
            </Button>
          ) : null}
          {mayRun && id !== "" ? (
            <Button className={look.button!} onPress={() => setOpen("run")}>
              {t.run}
            </Button>
          ) : null}
          {mayChange ? (
            <Button className={look.primary!} onPress={trySave}>
              {common.save}
            </Button>
          ) : null}
        </>
      }
    >
      {isKept ? null : <p role="alert">{t.notKept}</p>}
      <Given given={given} editing={editing} />
      <Newer tenant={tenant} id={id} editing={editing} current={current} isConflict={isConflict} />
      <Problem error={failure} />
      <div className={own.columns}>
        <div className={own.left}>
          <Editor
            className={`${css.panel} ${own.text}`}
            value={text}
            label={t.text}
            help={t.textHelp(reading.format)}
            extensions={editor.extensions}
            onChange={setText}
            ready={editor.ready}
          />
          <FaultList
            issues={issues}
            check={check}
            isChecked={mayChange}
            choose={({ line, column }) => editor.goToLine(line, column)}
          />
        </div>
        <div className={own.right}>
          {isEditable ? null : <p className={css.notice}>{t.tooLarge}</p>}
          <div className={`${css.panel} ${own.dag}`}>
            <Dag
              nodes={graph.nodes}
              edges={graph.edges}
              label={t.dag}
              selected={edge ?? selectedNode}
              onSelect={onSelect}
              actions={
                <>
                  {mayChange && isEditable ? (
                    <Button className={look.button!} onPress={() => setOpen("add")}>
                      {t.add}
                    </Button>
                  ) : null}
                  {reading.isGraphOld ? <span className={css.dim}>{t.graphOld}</span> : null}
                </>
              }
            />
          </div>
          <div className={`${css.panel} ${own.panel}`}>
            <fieldset className={own.tabs} aria-label={t.panels}>
              {(["node", "try"] as const).map((one) => (
                <button key={one} type="button" aria-pressed={panel === one} onClick={() => setPanel(one)}>
                  {t.panel[one]}
                </button>
              ))}
            </fieldset>
            {panel === "try" ? (
              <Later
                load={tryPanel}
                props={{
                  ...{ sample, setSample, trial, text, onSelect, isOld },
                  inputs: inputsOf(dag, nodes),
                  parameters: parametersSchema(flowline),
                  selected: edge ?? selectedNode,
                  run: runTry,
                  isDisabled: !mayChange
                }}
                failed={() => {
                  toast(common.notLoaded)
                  setPanel("node")
                }}
              />
            ) : isObject(node) ? (
              <NodePanel
                key={index}
                node={node}
                index={index}
                nodes={nodes}
                streams={streamsOf(dag, index)}
                cursor={cursor[0] === "dag" && cursor[1] === index ? cursor.slice(2) : []}
                issues={issues}
                change={(path, value) =>
                  edit(textNow, filename, (now, { edited }) => apply(edited(now, ["dag", index, ...path], value)))
                }
                rename={(name) =>
                  edit(textNow, filename, (now, notation, { renamed }) =>
                    apply(renamed(notation, now, flowline, index, name))
                  )
                }
                isDisabled={!mayChange || !isEditable}
              />
            ) : (
              <p className={own.node}>{isEditable && reading.faults.length === 0 ? t.noNode : t.noForm}</p>
            )}
          </div>
        </div>
      </div>
      <Dialogs
        tenant={tenant}
        id={id}
        name={nameOf(flowline, id)}
        open={open}
        isDirty={isDirty}
        nodes={nodes}
        after={selectedNode}
        close={() => setOpen(undefined)}
        add={(descriptor) =>
          edit(textNow, filename, (now, notation, { addedNode }) => {
            const made = addedNode(notation, now, dag, index, descriptor)
            apply(made)
            const added = made === undefined ? undefined : notation.read(made).places.at(-1)
            if (added !== undefined) goTo(added.from)
          })
        }
      />
    </FlowlineFrame>
  )
}
