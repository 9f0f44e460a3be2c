// What the page uses of the HTTP API, in types, as the server describes it. Written by:
// go test ./studio -run PageTypes -update

export interface Class {
  examples?: number;
  name: string;
  parts?: number;
  rows: number;
}

export interface Classified {
  class: string;
  detail: Detail;
  example: number;
  index: number;
  left: number;
  log_odds: number | null;
  missing: number;
  picks: Array<Pick>;
  probabilities: Array<number>;
  probability: number;
  second: string;
}

export interface ClassifyAnswer {
  classes: Array<string>;
  images: Array<Classified>;
}

export interface Column {
  by: string;
  cells: number;
  cuts?: Array<number>;
  distinct?: number;
  kind: string;
  marks?: string;
  means?: string;
  missing: number;
  name: string;
  off?: Array<string>;
  range?: Range;
  split?: string;
  unit?: string;
  unknown?: Array<string>;
  values?: Array<LabelCount>;
  yes?: number;
}

export interface Component {
  deviation: number;
  moves: Array<Move>;
}

export interface Composed {
  p: number;
  rule: string;
}

export interface CurveList {
  curves: Array<RuleCurve>;
  p2: Array<number>;
}

export interface DataInfo {
  columns: Array<string> | null;
  fixed: boolean;
  height: number;
  id: string;
  labels: Record<string, Label>;
  n: number;
  name: string;
  notes: Array<Note>;
  plan?: Array<Column>;
  table: boolean;
  values: "bits" | "real";
  width: number;
}

export interface Detail {
  deviation?: string;
  expected?: Array<string>;
  height: number;
  high?: string;
  low?: string;
  start: string;
  steps: Array<Step>;
  width: number;
}

export interface ExpertColumn {
  index: number;
  name: string;
  p: number;
  q: number;
  spread: number;
  words: string;
}

export interface ExpertInfo {
  abstains: number;
  columns: Array<ExpertColumn> | null;
  deviation?: string;
  index: number;
  name: string;
  pose: MeanPose | null;
  template: string;
  usage: number | null;
  words: string;
}

export interface ExpertList {
  background?: Ground;
  experts: Array<ExpertInfo>;
}

export interface ExplainAnswer {
  model: string;
  rows: Array<Row>;
}

export interface FindAnswer {
  finds: Array<OneFind>;
  height: number;
  notes: Array<string>;
  width: number;
  withheld: Array<OneFind>;
}

export interface Ground {
  deviation: string;
  mean: string;
  words?: Array<Array<string>>;
}

export interface ImageList {
  images: Array<Labelled>;
  total: number;
}

export interface JobInfo {
  best: number | null;
  command: string | null;
  data: string;
  ended?: string;
  error?: string;
  id: string;
  images: number;
  iteration: number;
  model: string | null;
  name: string;
  progress?: Progress;
  score: number | null;
  stage: string;
  started?: string;
  state: "queued" | "running" | "done" | "stopped" | "failed" | "cancelled";
  trial: number;
  trials: number;
}

export interface Label {
  distinct: number;
  values: Array<string>;
}

export interface LabelCount {
  n: number;
  value: string;
}

export interface Labelled {
  bits?: string;
  height: number;
  index: number;
  labels: Record<string, string>;
  name: string;
  values?: Array<number | null>;
  width: number;
}

export interface LabelledImages {
  images: Array<WireImage>;
  name: string;
}

export interface MeanPose {
  angle: number;
  dx: number;
  dy: number;
}

export interface ModelInfo {
  by?: string;
  classes?: Array<Class>;
  columns?: Array<string>;
  command: string | null;
  components: Array<Component>;
  experts: number;
  frame: Array<number>;
  height: number;
  id: string;
  images: Array<number>;
  learned?: unknown;
  level?: string;
  means?: Array<Array<number>>;
  name: string;
  names?: Array<string>;
  outside?: string;
  parts: Array<NamedPart> | null;
  places?: number;
  poses?: Poses;
  q: number;
  reading?: unknown;
  rule?: string;
  scene?: boolean;
  shares: string;
  source: "file" | "upload" | "learned" | "built-in";
  table: boolean;
  together?: Array<string>;
  usage?: Array<number>;
  values: "bits" | "real";
  votes?: number;
  width: number;
}

export interface Move {
  angle: number;
  dx: number;
  dy: number;
  part: number;
}

export interface NamedPart {
  name: string;
  part: number;
  words: string;
}

export interface Note {
  fix?: Array<string>;
  text: string;
}

export interface OneFind {
  angle: number;
  bottom: number;
  certain: boolean;
  extra: number;
  gain: number;
  ink: number;
  left: number;
  log_odds: number;
  mirrored: boolean;
  missing: number;
  right: number;
  symbol: number;
  top: number;
  why: string;
}

export interface OverColumn {
  left: number;
  name: string;
}

export interface OverPair {
  a: number;
  b: number;
  lift: number | null;
  rows: number;
}

export interface OverRow {
  gains: Array<number | null>;
  index: number;
  loss: number | null;
  name: string;
  odd: string;
  parts: Array<number>;
}

export interface Overview {
  columns: Array<OverColumn>;
  pairs: Array<OverPair>;
  rows: Array<OverRow>;
  summary: Array<string>;
}

export interface Pick {
  angle: number;
  dx: number;
  dy: number;
  gain: number | null;
  part: number;
}

export interface Place {
  angle: number;
  dx: number;
  dy: number;
  part: number;
}

export interface Poses {
  count: number;
  dx: Array<number>;
  dy: Array<number>;
  rotations: Array<number>;
}

export interface Prediction {
  p: number;
  pixel: number;
}

export interface ProblemError {
  detail: string;
  fix?: Array<string>;
  status: number;
  title: string;
  type: string;
}

export interface Progress {
  best: number | null;
  height: number;
  iteration: number;
  score: number | null;
  scores: Array<Scored>;
  stage: string;
  templates: Array<string>;
  trial: number;
  trials: number;
  unit: string;
  width: number;
}

export interface Range {
  high: number;
  low: number;
  mean: number;
  whole: boolean;
}

export interface Row {
  detail?: Detail;
  index: number;
  log_lik: number | null;
  log_lik_model: number | null;
  missing?: number;
  picks: Array<Pick>;
  predicted?: Array<Prediction>;
  start_log_lik: number | null;
}

export interface RuleCurve {
  p: Array<number>;
  q: number | null;
  rule: string;
}

export interface RuleInfo {
  abstention: number | null;
  formula: string;
  name: string;
  symmetric: boolean;
  title: string;
}

export interface Sample {
  bits: string;
  p: string;
  picks: Array<Place>;
  speakers: string;
  values?: string;
}

export interface SampleAnswer {
  height: number;
  samples: Array<Sample>;
  width: number;
}

export interface Scored {
  score: number | null;
  trial: number;
}

export interface ServerInfo {
  keeps: boolean;
  learn: boolean;
  ready: boolean;
  upload: boolean;
  version: string;
}

export interface Step {
  log_lik: number | null;
  p: string;
  speakers: string;
  votes: string;
}

export interface WireImage {
  bits?: string;
  height: number;
  values?: Array<number | null>;
  width: number;
}

export interface ClassifyRequest {
  classes: Array<LabelledImages>;
  images: Array<WireImage>;
}

export interface ExplainRequest {
  detail?: boolean;
  images: Array<WireImage>;
  model: string;
  predict?: boolean;
}

export interface LearnRequest {
  aim?: "interpret" | "predict";
  auto?: boolean;
  begin?: "both" | "orders" | "splits" | "pairs" | "grow" | "mixture";
  data: string;
  experts?: number;
  for?: "table" | "drawings" | "scenes" | "paper" | "answers";
  method?: "default" | "online" | "batch" | "both" | "strokes" | "soft";
  name?: string;
  rotate?: string;
  rule?: "max" | "max-minus-min" | "noisy-or" | "sum-of-odds" | "mean" | "sum-of-log-odds" | "normalized-sum" | "auto";
  seed?: unknown;
  shift?: number;
  shift_step?: number;
  starts?: number;
  straight?: number;
  take?: number;
  where?: Array<string>;
}

export interface SampleRequest {
  along?: Array<number>;
  model: string;
  n?: number;
  noise?: boolean;
  seed?: unknown;
}

/** Every operation: what it is asked with, and its answer. */
export interface Operations {
  "POST /v1/classify": { body: ClassifyRequest; answer: ClassifyAnswer };
  "GET /v1/data": { answer: { data: Array<DataInfo> } };
  "POST /v1/data": { query?: { name?: string; model?: string; threshold?: string; array?: string; invert?: boolean; items?: boolean; pairs?: string; size?: string; column?: Array<string>; missing?: string; names?: string }; body: Blob | FormData; answer: DataInfo };
  "DELETE /v1/data/{id}": { path: { id: string }; answer: undefined };
  "GET /v1/data/{id}/file": { path: { id: string }; answer: Blob };
  "GET /v1/data/{id}/images": { path: { id: string }; query?: { from?: number; n?: number; search?: string; where?: Array<string>; index?: Array<number>; model?: string }; answer: ImageList };
  "POST /v1/explain": { body: ExplainRequest; answer: ExplainAnswer };
  "POST /v1/find": { query: { symbol: Array<number>; rival?: Array<number>; turns?: boolean; mirror?: boolean; invert?: boolean }; body: Blob; answer: FindAnswer };
  "GET /v1/find/example": { answer: Blob };
  "POST /v1/learn": { body: LearnRequest; answer: JobInfo };
  "GET /v1/learn/{id}": { path: { id: string }; query?: { progress?: boolean }; answer: JobInfo };
  "POST /v1/learn/{id}/stop": { path: { id: string }; answer: JobInfo };
  "GET /v1/models": { answer: { models: Array<ModelInfo> } };
  "POST /v1/models": { query?: { name?: string }; body: Blob; answer: ModelInfo };
  "DELETE /v1/models/{id}": { path: { id: string }; answer: undefined };
  "PATCH /v1/models/{id}": { path: { id: string }; body: { name: string }; answer: ModelInfo };
  "GET /v1/models/{id}/experts": { path: { id: string }; answer: ExpertList };
  "PATCH /v1/models/{id}/experts/{k}": { path: { id: string; k: number }; body: { name: string }; answer: ExpertInfo };
  "GET /v1/models/{id}/file": { path: { id: string }; answer: Blob };
  "GET /v1/models/{id}/gallery.png": { path: { id: string }; answer: Blob };
  "GET /v1/models/{id}/overview": { path: { id: string }; query: { data: string }; answer: Overview };
  "GET /v1/models/{id}/report": { path: { id: string }; query: { data: string }; answer: Blob };
  "GET /v1/rules": { answer: { rules: Array<RuleInfo> } };
  "GET /v1/rules/compose": { query: { p: Array<number>; q?: Array<number> }; answer: { rules: Array<Composed> } };
  "GET /v1/rules/curves": { query?: { p1?: Array<number>; q?: Array<number>; points?: number }; answer: CurveList };
  "POST /v1/sample": { body: SampleRequest; answer: SampleAnswer };
  "GET /v1/server": { answer: ServerInfo };
}
