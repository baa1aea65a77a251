# findlib: `make paper` draws every table and figure, `make test` checks everything.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := help

# ---- what to run (all can be given on the command line)
BENCHMARK ?= find
ifeq ($(BENCHMARK),flaws)
DATASET ?= data/sample/flaws
RUN ?= $(basename $(notdir $(patsubst %/,%,$(DATASET))))
JUDGE ?= similarity
FIGURES ?= $(if $(filter data/sample/flaws|flaws|smollm2-135m|||similarity|{}|0,$(subst $() ,_,$(DATASET)|$(RUN)|$(MODELS)|$(SETS)|$(MODEL_FILE)|$(JUDGE)|$(SETTINGS)|$(LIMIT))),figures,runs/$(RUN)/figures)
endif
SETS ?=
SECOND_JUDGE ?= $(if $(filter data/sample/flaws,$(DATASET)),smollm2-135m)
PROXY ?= $(if $(filter data/sample/flaws,$(DATASET)),smollm2-135m)
DATASET ?= data/sample
RUN ?= $(notdir $(patsubst %/,%,$(DATASET)))
MODELS ?= smollm2-135m
MODEL_FILE ?=
JUDGE ?= evidence
DESCRIPTION ?= auto
READING ?= auto
SETTINGS ?= {}
RECORDED ?= 1
ONLY ?=
LIMIT ?= 0
BUDGET_USD ?= 0
VERIFY ?=
JUDGMENTS ?= $(wildcard data/judgments/$(RUN).csv)
DATA ?= $(DATASET)
SAME_DOCUMENTS ?=
POOL_MFR ?= 1
CORPUS ?=
INDEX ?= cache/index/$(notdir $(patsubst %/,%,$(CORPUS)))
CORPORA ?=
TOKENIZER ?=
default := data/sample|sample|smollm2-135m||evidence|auto|auto|{}||0|||data/judgments/sample.csv|
FIGURES ?= $(if $(filter $(default),$(subst $() ,_,$(DATASET)|$(RUN)|$(MODELS)|$(MODEL_FILE)|$(JUDGE)|$(DESCRIPTION)|$(READING)|$(SETTINGS)|$(ONLY)|$(LIMIT)|$(CORPORA)|$(TOKENIZER)|$(JUDGMENTS)|$(VERIFY))),figures,runs/$(RUN)/figures)
MODEL ?= $(firstword $(MODELS))
PYTHON ?= python3

export FINDLIB_OUTPUT ?= $(CURDIR)
export SOURCE_DATE_EPOCH ?= 1767225600
export HF_HUB_OFFLINE ?= 1
export LITELLM_LOCAL_MODEL_COST_MAP := True

OUT := $(FINDLIB_OUTPUT)/runs/$(RUN)
VENV := .venv
PY := $(VENV)/bin/python
STAGE := $(PY) -m findlib.notebook
SOURCES := $(wildcard findlib/*.py findlib/*/*.py findlib/prompts/* findlib/reference/*)
recorded := $(if $(filter 0 no false,$(RECORDED)),false,true)
P00 = run=$(RUN) dataset="$(DATASET)" only="$(ONLY)" limit=$(LIMIT) figures="$(FIGURES)"
P10 = run=$(RUN) corpora="$(CORPORA)" tokenizer="$(TOKENIZER)" figures="$(FIGURES)"
P20 = run=$(RUN) models="$(MODELS)" verify="$(VERIFY)" model_file="$(MODEL_FILE)" reading=$(READING) settings="$(SETTINGS)" recorded=$(recorded)
P30 = run=$(RUN) judge="$(JUDGE)" description_metric=$(DESCRIPTION) model_file="$(MODEL_FILE)" recorded=$(recorded)
P35 = run=$(RUN) judgments="$(JUDGMENTS)" figures="$(FIGURES)"
P40 = run=$(RUN) figures="$(FIGURES)"
P45 = run=$(RUN) figures="$(FIGURES)"
P50 = run=$(RUN) figures="$(FIGURES)" same_documents=$(if $(SAME_DOCUMENTS),true,false) pool_mfr=$(if $(filter 0 no false,$(POOL_MFR)),false,true)
P60 = run=$(RUN) dataset="$(DATASET)" sets="$(SETS)" models="$(MODELS)" judge="$(JUDGE)" second_judge="$(SECOND_JUDGE)" proxy="$(PROXY)" limit=$(LIMIT) model_file="$(MODEL_FILE)" settings="$(SETTINGS)" recorded=$(recorded) figures="$(FIGURES)"
MONEY := $(if $(filter-out 0,$(BUDGET_USD)),budget_usd=$(BUDGET_USD),)
P90 = run=$(RUN) figures="$(FIGURES)"
inference: MONEY_20 = $(MONEY)
inference: MONEY_60 = $(MONEY)
grading: MONEY_30 = $(MONEY)

.PHONY: help flaws install bleurt paper inference grading index check-data insert test lint format notebook notebooks expected record serve lab lock clean FORCE

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12
	@echo "settings: DATASET RUN MODELS MODEL_FILE JUDGE DESCRIPTION READING SETTINGS RECORDED ONLY LIMIT BUDGET_USD FIGURES CORPORA TOKENIZER JUDGMENTS VERIFY SAME_DOCUMENTS POOL_MFR"

# ---- set-up
install: $(VENV)/.installed  ## create .venv and install the lock (done by every target that needs it)

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
	  || { echo "error: Python 3.11 to 3.13 is needed; name one with PYTHON=..." >&2; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) \
	  || { echo "error: python3 -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

bleurt: install  ## add BLEURT (torch, transformers) to .venv
	$(PY) -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-bleurt.lock

# ---- the pipeline: one notebook a stage, each rerun when its inputs or settings change
paper: $(OUT)/$(if $(filter flaws,$(BENCHMARK)),60_flaws,50_figures).ipynb $(if $(filter find_figures,$(BENCHMARK)_$(FIGURES)),flaws)  ## read the documents, grade, draw all tables and figures (never spends money)
	@echo "tables and figures: $(FIGURES)/"

define settings_of
@mkdir -p $(dir $@)
@echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
endef
$(OUT)/.settings-00: FORCE ; $(call settings_of,$(P00))
$(OUT)/.settings-10: FORCE ; $(call settings_of,$(P10))
$(OUT)/.settings-20: FORCE ; $(call settings_of,$(P20))
$(OUT)/.settings-30: FORCE ; $(call settings_of,$(P30))
$(OUT)/.settings-35: FORCE ; $(call settings_of,$(P35))
$(OUT)/.settings-40: FORCE ; $(call settings_of,$(P40))
$(OUT)/.settings-45: FORCE ; $(call settings_of,$(P45))
$(OUT)/.settings-50: FORCE ; $(call settings_of,$(P50))
$(OUT)/.settings-90: FORCE ; $(call settings_of,$(P90))
FORCE:

$(OUT)/00_data.ipynb: notebooks/00_data.ipynb $(OUT)/.settings-00 $(SOURCES) $(wildcard $(DATASET)/*) | $(VENV)/.installed
	@$(STAGE) 00_data $(P00)
$(OUT)/10_contamination.ipynb: notebooks/10_contamination.ipynb $(OUT)/00_data.ipynb $(OUT)/.settings-10
	@$(STAGE) 10_contamination $(P10)
# a stage with failed requests is run again the next time: they are not stored
$(OUT)/20_inference.ipynb: $(if $(wildcard $(OUT)/.failed-20),FORCE)
$(OUT)/30_grading.ipynb: $(if $(wildcard $(OUT)/.failed-30),FORCE)
$(OUT)/20_inference.ipynb: notebooks/20_inference.ipynb $(wildcard data/recorded/*) $(OUT)/00_data.ipynb $(OUT)/.settings-20
	@$(STAGE) 20_inference $(P20) $(MONEY_20)
$(OUT)/30_grading.ipynb: notebooks/30_grading.ipynb $(OUT)/20_inference.ipynb $(OUT)/.settings-30
	@$(STAGE) 30_grading $(P30) $(MONEY_30)
$(OUT)/35_validation.ipynb: notebooks/35_validation.ipynb $(OUT)/30_grading.ipynb $(wildcard $(JUDGMENTS)) $(OUT)/.settings-35
	@$(STAGE) 35_validation $(P35)
$(OUT)/40_regressions.ipynb: notebooks/40_regressions.ipynb $(OUT)/30_grading.ipynb $(OUT)/.settings-40
	@$(STAGE) 40_regressions $(P40)
$(OUT)/45_manual_grading.ipynb: notebooks/45_manual_grading.ipynb $(wildcard data/judgments/*.csv $(OUT)/grading/*.csv) $(OUT)/30_grading.ipynb $(OUT)/.settings-45
	@$(STAGE) 45_manual_grading $(P45)
$(OUT)/90_published.ipynb: notebooks/90_published.ipynb $(OUT)/.settings-90 $(SOURCES) | $(VENV)/.installed
	@$(STAGE) 90_published $(P90)
$(OUT)/.settings-60: FORCE ; $(call settings_of,$(P60))
$(OUT)/60_flaws.ipynb: $(if $(wildcard $(OUT)/.failed-60),FORCE)
$(OUT)/60_flaws.ipynb: notebooks/60_flaws.ipynb $(wildcard data/recorded/* $(DATASET) $(DATASET)/*) $(OUT)/.settings-60 $(SOURCES) | $(VENV)/.installed
	@$(STAGE) 60_flaws $(P60) $(MONEY_60)
$(OUT)/50_figures.ipynb: notebooks/50_figures.ipynb $(OUT)/90_published.ipynb $(OUT)/10_contamination.ipynb $(OUT)/35_validation.ipynb $(OUT)/40_regressions.ipynb $(OUT)/45_manual_grading.ipynb $(OUT)/.settings-50
	@$(STAGE) 50_figures $(P50)

inference: $(OUT)/$(if $(filter flaws,$(BENCHMARK)),60_flaws,20_inference).ipynb  ## ask the models only: MODELS="gpt-5" BUDGET_USD=20; all of BENCHMARK=flaws

flaws:  ## FindTheFlaws on its sample; the real sets: make inference BENCHMARK=flaws DATASET=datasets.zip SETS="medqa gpqa"
	@$(MAKE) --no-print-directory paper BENCHMARK=flaws DATASET=data/sample/flaws RUN=flaws JUDGE=similarity FIGURES=$(FIGURES)

grading: $(OUT)/30_grading.ipynb  ## grade the answers only, with a paid judge: JUDGE=gpt-4.1 BUDGET_USD=5

notebook: install  ## rerun one stage and check its numbers: NB=30_grading
	@test -n "$(NB)" || { echo "error: name a stage, for example make notebook NB=30_grading" >&2; exit 1; }
	@test -f notebooks/$(NB).ipynb || { echo "error: no notebook $(NB); there are: $(basename $(notdir $(wildcard notebooks/*.ipynb)))" >&2; exit 1; }
	@rm -f $(OUT)/$(NB).ipynb
	@$(MAKE) --no-print-directory $(OUT)/$(NB).ipynb

index: install  ## index a corpus for contamination checks: CORPUS=folder INDEX=folder
	@test -n "$(CORPUS)" || { echo "error: name a corpus: make index CORPUS=folder" >&2; exit 1; }
	@$(PY) -m findlib.contamination.indexing "$(CORPUS)" "$(INDEX)"

check-data: install  ## check an annotated data set, a line a problem: DATA=path
	@$(PY) -m findlib.annotate check "$(DATA)"

insert: install  ## a data set with inserted inconsistencies: DOCS=folder TO=file.jsonl N=200 SEED=7
	@test -n "$(DOCS)" -a -n "$(TO)" || { echo "error: name documents and target: make insert DOCS=folder TO=file.jsonl" >&2; exit 1; }
	@$(PY) -m findlib.insert "$(DOCS)" "$(TO)" --n $(or $(N),200) --seed $(or $(SEED),7) --controls $(or $(CONTROLS),0.2)

# ---- checks
test: install  ## unit tests, docstring examples, notebooks (nbval); outputs go to a scratch folder
	FINDLIB_OUTPUT=$(CURDIR)/.test-output $(PY) -m pytest
	rm -rf .test-output/runs/sample
	FINDLIB_OUTPUT=$(CURDIR)/.test-output $(PY) -m pytest -p no:cacheprovider --nbval-lax --nbval-cell-timeout=900 notebooks

lint: install  ## ruff check, ruff format --check, mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: install  ## ruff format and the fixes ruff makes
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

# ---- upkeep
notebooks: install  ## execute the committed notebooks in place with their defaults
	@for nb in $(sort $(wildcard notebooks/*.ipynb)); do $(PY) -m findlib.notebook --in-place $$(basename $$nb .ipynb) || exit 1; done

expected: install  ## make the numbers of this run the expected ones (figures/expected.json)
	rm -f figures/expected.json
	@$(MAKE) --no-print-directory paper
	$(PY) -c 'from findlib import expected; print(expected.keep("$(RUN)", "flaws"))'

record: paper  ## record this run's responses for others: data/recorded/
	$(PY) -c 'from findlib import runs; print(runs.record("$(RUN)"))'

lock:  ## compile the locks again (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q pyproject.toml \
	  --all-extras --no-emit-package torch -o requirements-bleurt.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q pyproject.toml \
	  --extra embedded --extra dev --extra contamination -c requirements-bleurt.lock -o requirements.lock

serve: install  ## serve an open model with vLLM: MODEL=gpt-oss-20b (environment-vllm.yml)
	@$(PY) -m findlib.serve "$(MODEL)" $(if $(MODEL_FILE),--model-file "$(MODEL_FILE)",)

lab: install  ## open JupyterLab
	$(VENV)/bin/jupyter lab --notebook-dir=.

clean:  ## remove runs and scratch files; keeps .venv and the cache of paid responses
	rm -rf runs .test-output .pytest_cache .mypy_cache .ruff_cache build
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
