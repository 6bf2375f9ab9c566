"""Reports: a model as one page that can be read, printed and sent."""

from wayword.report.contents import Report
from wayword.report.gather import gather_report
from wayword.report.page import render_report
from wayword.report.writing import write_report

__all__ = ["Report", "gather_report", "render_report", "write_report"]
